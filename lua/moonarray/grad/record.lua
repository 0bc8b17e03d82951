--- The places in a record, which is a list (src/bind/grad/tape.c):
---
---   ID, AT    the number of the result's buffer, and the result's place in it
---   COUNT     how many inputs there are; input k has its number at INPUTS + 2 * k - 2, and its place behind that
---   NAME      what was called, and LINE where, "user.lua:7: "
---   BACK      back(g, k, record) gives what flows to input k of what flows to the result
---   READS     what BACK reads: an array, how often its buffer was written, and the buffer's number, of each; of an
---             operation, bits from FILTER on, and the counts of these arrays behind the inputs
---   FILTER, X, Y, Z, W, R   of an operation: what it was given as `where`, its operands and its result
---
--- By name: `written`, for a write; `results`, `inner` and `flow`, for a call of several results; `flows`, what a
--- derivative of the user's gave for all inputs.

return { ID = 1, AT = 2, COUNT = 3, NAME = 4, LINE = 5, BACK = 6, READS = 7, FILTER = 8, X = 9, Y = 10, Z = 11, W = 12,
  R = 13, INPUTS = 14 }
