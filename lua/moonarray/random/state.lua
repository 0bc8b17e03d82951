--- The generator of the functions of ma.random: its state, and another one in its place.

return function(ma, core, of)
  local def = core.def

  --> random.get_state random.set_state: local state = ma.random.get_state()
  -->   local a = ma.random.random(3)
  -->   ma.random.set_state(state)
  -->   return ma.array_equal(a, ma.random.random(3))
  def("random.get_state() -> table",
    "State of the generator of the functions of moonarray.random, for random.set_state.",
    function() return of.global():get_state() end)
  def("random.set_state(state: table)",
    "Makes the generator of the functions of moonarray.random go on where it was at random.get_state.",
    function(state) of.global():set_state(state) end)

  --> random.get_random_state random.set_random_state: ma.random.set_random_state(ma.random.default_rng(1))
  -->   return ma.random.get_random_state()
  def("random.get_random_state() -> generator", "The generator of the functions of moonarray.random itself.",
    function() return of.global() end)
  def("random.set_random_state(generator: generator)", "Makes a generator that of the functions of moonarray.random.",
    function(generator) of.kept.global = of.check("random.set_random_state", generator) end)
  --> random.reset_states: ma.random.seed(7)
  -->   local first = ma.random.random(3)
  -->   ma.random.reset_states()
  -->   return ma.array_equal(ma.random.random(3), first)
  def("random.reset_states()", "Seeds the generator of the functions of moonarray.random by a seed that nobody knows.",
    function() ma.random.seed() end)
end
