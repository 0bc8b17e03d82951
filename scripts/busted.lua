-- busted under the interpreter that runs this file, so that a sanitizer can be preloaded into it alone.
require "busted.runner" ({ standalone = false })
