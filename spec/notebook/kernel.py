"""The kernel of packages/jupyter in Jupyter: runs examples/notebook.ipynb, then tries what can go wrong.

Prints a line for each case: "ok NAME", or "failed NAME: why". spec/notebook/kernel_spec.lua reads them.
usage: kernel.py ROOT
"""
import os
import sys
import time
import traceback

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

ROOT = sys.argv[1]


class Session:
    """A kernel, and what a cell shows."""

    def __init__(self):
        self.manager = KernelManager(kernel_name="moonarray")
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def begin(self, code):
        return self.client.execute(code)

    def finish(self, request):
        """The outputs of a cell by their kind, and its reply."""
        outputs = {"stdout": "", "stderr": "", "data": [], "error": None}
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != request:
                continue
            if kind == "stream":
                outputs[content["name"]] += content["text"]
            elif kind in ("execute_result", "display_data"):
                outputs["data"].append(content["data"])
            elif kind == "error":
                outputs["error"] = content
            elif kind == "status" and content["execution_state"] == "idle":
                break
        outputs["reply"] = self.reply(request)
        return outputs

    def reply(self, request):
        while True:
            message = self.client.get_shell_msg(timeout=60)
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def run(self, code):
        return self.finish(self.begin(code))

    def wait_for(self, text):
        """Until the cell that runs has printed this."""
        printed = ""
        while text not in printed:
            message = self.client.get_iopub_msg(timeout=60)
            if message["msg_type"] == "stream":
                printed += message["content"]["text"]

    def text_of(self, code):
        outputs = self.run(code)
        assert outputs["error"] is None, outputs["error"]
        return outputs["data"][-1]["text/plain"]


def notebook(_):
    path = os.path.join(ROOT, "examples", "notebook.ipynb")
    there = nbformat.read(path, 4)
    run = nbformat.read(path, 4)
    NotebookClient(run, kernel_name="moonarray", timeout=120, resources={"metadata": {"path": ROOT}}).execute()
    kinds = {kind for cell in run.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"image/png", "text/html", "text/plain"} <= kinds, kinds
    for before, after in zip(there.cells, run.cells):
        for kind in ("text/html", "text/plain"):
            pair = [[output["data"].get(kind) for output in cell.get("outputs", []) if "data" in output]
                    for cell in (before, after)]
            assert pair[0] == pair[1], pair


def values(session):
    outputs = session.run('local ma = require "moonarray"\nlocal a = ma.ones({ 30, 40 })\nprint "one"\na')
    assert outputs["stdout"] == "one\n", outputs
    table = outputs["data"][0]["text/html"]
    assert table.count("<tr>") == 1 + 21 and table.count("<th>…</th>") == 2, table.count("<tr>")
    assert "(30, 40) float64" in outputs["data"][0]["text/plain"]
    assert session.text_of("a:sum():item()") == "1200"
    assert session.run("a:sum();")["data"] == []
    assert [data["text/plain"] for data in session.run('1, "two"')["data"]] == ["1", "two"]
    assert session.run("for k = 1, 2 do\n  tostring(k)\nend")["data"] == []
    picture = session.run("ma.zeros({ 4, 5, 3 }, 'uint8')")["data"][0]
    figure = session.run("local fig = ma.plot.figure { width = 90, height = 60 }\nfig:plot { 1, 4, 9 }")["data"][0]
    assert picture["image/png"].startswith("iVBOR") and figure["image/png"].startswith("iVBOR")
    shown = session.run("for k = 1, 3 do display(k) end")["data"]
    assert [data["text/plain"] for data in shown] == ["1", "2", "3"]


def streams(session):
    outputs = session.run('print "a" io.stderr:write "b\\n" require("ffi").cdef "int puts(const char *);"\n'
                          'require("ffi").C.puts "c"')
    assert outputs["stdout"] == "a\nc\n" and outputs["stderr"] == "b\n", outputs
    assert len(session.run("io.write(('x'):rep(300000))")["stdout"]) == 300000


def errors(session):
    outputs = session.run('local before = 1\nlocal function f(x)\n  error("bad")\nend\nf(3)')
    assert outputs["reply"]["status"] == "error"
    number = outputs["reply"]["execution_count"]
    assert outputs["error"]["evalue"] == f"cell {number}:3: bad", outputs["error"]
    assert f"cell {number}:5: in main chunk" in "\n".join(outputs["error"]["traceback"]), outputs["error"]
    assert "signals.lua" not in "\n".join(outputs["error"]["traceback"]), outputs["error"]
    assert session.text_of("before, f ~= nil") == "true"
    assert "'=' expected" in session.run("local x = 1\nx 5")["error"]["evalue"]
    outputs = session.run("\nma.zeros(2, 3)")
    assert outputs["error"]["evalue"].startswith(f"cell {outputs['reply']['execution_count']}:2: moonarray.zeros: ")
    assert session.run("error({})")["error"]["evalue"].startswith("table: ")


def globals_(session):
    session.run("local n, m = 1\nlocal rule = ma.fuse(function(x)\n  if x > 1 then return x * n end\n  return 0\nend)")
    assert session.text_of("n = 3\nrule(ma.array { 1, 2 })").startswith("[0. 6.]")
    assert session.text_of("local n\nn == nil") == "true"


def completion(session):
    def matches(code):
        return session.reply(session.client.complete(code, len(code)))["matches"]

    assert "linspace" in matches("x = ma.lin")
    assert matches("ma.linalg.eigvalsh") == ["eigvalsh"]
    assert "reshape" in matches("local é = a:resh")
    assert "before" in matches("befo")
    assert matches("ma.nothing.x") == []
    content = session.reply(session.client.inspect("y = ma.linspace(0, 1)", 12))
    assert content["found"] and "moonarray.linspace(start" in content["data"]["text/plain"], content
    for code, state in (("for k = 1, 2 do", "incomplete"), ("x = = 1", "invalid"), ("ma", "complete")):
        assert session.reply(session.client.is_complete(code))["status"] == state, code


def interrupt(session):
    request = session.begin('print "runs"\njit.off(true)\nwhile true do end')
    session.wait_for("runs")
    session.manager.interrupt_kernel()
    outputs = session.finish(request)
    assert "interrupted!" in outputs["error"]["evalue"], outputs
    assert session.text_of("before") == "1"


def interrupt_twice(session):
    request = session.begin('print "runs"\nlocal k = 0\nwhile true do k = k + 1 end')
    session.wait_for("runs")
    time.sleep(0.5)                                 # so that the loop is compiled code
    session.manager.interrupt_kernel()
    session.wait_for("Interrupt again")
    session.manager.interrupt_kernel()
    outputs = session.finish(request)
    assert "interrupted twice" in outputs["error"]["evalue"], outputs
    assert session.text_of("before == nil") == "true"


def killed(session):
    session.run("mine = 1")
    outputs = session.run('require("ffi").cdef "int raise(int);"\nprint "last"\nrequire("ffi").C.raise(9)')
    assert "ended by SIGKILL" in outputs["error"]["evalue"], outputs
    assert outputs["stdout"] == "last\n"
    assert session.text_of("mine == nil") == "true"
    assert "ended with status 3" in session.run("os.exit(3)")["error"]["evalue"]


def pid_of(session):
    return int(session.text_of('require("ffi").cdef "int getpid(void);"\nrequire("ffi").C.getpid()'))


def is_there(pid):
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def restart(session):
    session.run("mine = 1")
    before = pid_of(session)
    session.manager.restart_kernel(now=False)
    session.client.wait_for_ready(timeout=60)
    assert not is_there(before), "the Lua process outlived a restart"
    assert session.text_of("mine == nil") == "true"


def death(session):
    """A kernel that is killed takes its Lua process with it, even out of a loop."""
    pid = pid_of(session)
    session.begin('print "runs"\nwhile true do end')
    session.wait_for("runs")
    session.client.stop_channels()
    session.manager.shutdown_kernel(now=True)
    assert not is_there(pid), "the Lua process outlived its kernel"


def main():
    session = Session()
    for case in (notebook, values, streams, errors, globals_, completion, interrupt, interrupt_twice, killed, restart,
                 death):
        try:
            case(session)
            print("ok", case.__name__)
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
            print(f"failed {case.__name__}: {type(error).__name__} at lines {lines}: {error}")
        sys.stdout.flush()


main()
