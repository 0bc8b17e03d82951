"""A Jupyter kernel for LuaJIT with moonarray: python3 moonarray_kernel.py install (docs/notebooks.md).

Jupyter starts this program, and it starts luajit, which runs the cells (lua/moonarray/notebook) and keeps their
variables. Messages go through two pipes, as lua/moonarray/notebook/process.lua describes. What the Lua process writes
to stdout and stderr goes through two more.
"""
import argparse
import base64
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time

from ipykernel.kernelbase import Kernel
from ipykernel.kernelapp import IPKernelApp

NOTEBOOK = 'require("moonarray.notebook.process").serve(%d, %d)'
SLOW = 1.0  # seconds after an interrupt that did nothing


class Ended(Exception):
    """The Lua process has ended."""


class Lua:
    """The Lua process. `write(name, text)` gets what it prints."""

    def __init__(self, write):
        self.write = write
        there, requests = os.pipe()
        answers, back = os.pipe()
        try:
            # Of a session of its own: Jupyter's signals are for the kernel, which passes them on.
            self.process = subprocess.Popen(
                [os.environ.get("MOONARRAY_LUAJIT", "luajit"), "-e", NOTEBOOK % (there, back)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=(there, back), start_new_session=True)
        except OSError:
            os.close(requests)
            os.close(answers)
            raise
        finally:
            os.close(there)
            os.close(back)
        self.requests = open(requests, "wb")
        self.answers = open(answers, "rb", buffering=0)  # so that what is not read yet makes the selector ready
        self.selector = selectors.DefaultSelector()
        for name, file in ("stdout", self.process.stdout), ("stderr", self.process.stderr):
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ, name)
        self.selector.register(self.answers, selectors.EVENT_READ, "answers")
        self.interrupts = []  # when, since the last request

    def ask(self, *fields):
        """Yields each message of the answer. The last one begins with b"done"."""
        fields = [field.encode() for field in fields]
        self.interrupts = []
        try:
            self.requests.write(" ".join(str(len(field)) for field in fields).encode() + b"\n" + b"".join(fields))
            self.requests.flush()
        except BrokenPipeError:
            raise Ended from None
        while True:
            message = self.next_message()
            yield message
            if message[0] == b"done":
                return

    def next_message(self):
        warned = False
        while True:
            ready = [key.data for key, _ in self.selector.select(timeout=0.2)]
            self.drain()
            if "answers" in ready:
                line = self.answers.readline()
                if not line:
                    raise Ended
                return [self.read(int(length)) for length in line.split()]
            if self.process.poll() is not None:
                raise Ended
            if self.interrupts and not warned and time.monotonic() - self.interrupts[0] > SLOW:
                warned = True
                self.write("stderr", "The interrupt waits, because compiled code or a call of C is running. "
                           "Interrupt again to end the Lua process.\n")

    def read(self, length):
        parts = []
        while length:
            part = self.answers.read(length)
            if not part:
                raise Ended
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def drain(self):
        for name, file in ("stdout", self.process.stdout), ("stderr", self.process.stderr):
            while data := file.read(65536):
                self.write(name, data.decode(errors="replace"))

    def interrupt(self, *_):
        """The first raises an error in Lua. Compiled loops do not notice it, so the next ends the process."""
        self.interrupts.append(time.monotonic())
        self.process.send_signal(signal.SIGINT if len(self.interrupts) == 1 else signal.SIGKILL)

    def end(self):
        self.process.kill()
        code = self.process.wait()
        self.drain()
        for file in self.requests, self.answers, self.process.stdout, self.process.stderr:
            try:
                file.close()
            except BrokenPipeError:
                pass
        self.selector.close()
        return code


class MoonarrayKernel(Kernel):
    implementation = "moonarray"
    implementation_version = "1"
    banner = "LuaJIT with moonarray"
    language_info = {"name": "lua", "mimetype": "text/x-lua", "file_extension": ".lua", "pygments_lexer": "lua",
                     "codemirror_mode": "lua"}
    lua = None
    is_silent = False

    def write(self, name, text):
        if not self.is_silent:
            self.send_response(self.iopub_socket, "stream", {"name": name, "text": text})

    def ask(self, *fields):
        if self.lua is None:
            self.lua = Lua(self.write)
        return self.lua.ask(*fields)

    def ended(self):
        """The message about a process that has ended. The next cell starts another."""
        by_user, code = len(self.lua.interrupts) > 1, self.lua.end()
        self.lua = None
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        why = ", because it was interrupted twice" if by_user else ""
        return f"the Lua process ended {how}{why}; its variables are gone, and the next cell starts another process"

    def publish(self, kind, contents):
        if self.is_silent:
            return
        data = {}
        for mime, value in zip(contents[::2], contents[1::2]):
            is_picture = mime.startswith(b"image/")
            data[mime.decode()] = base64.b64encode(value).decode() if is_picture else value.decode(errors="replace")
        content = {"data": data, "metadata": {}}
        if kind == b"result":
            content["execution_count"] = self.execution_count
        self.send_response(self.iopub_socket, "execute_result" if kind == b"result" else "display_data", content)

    def run(self, code):
        """The message of an error and its traceback, or nothing."""
        try:
            for kind, *rest in self.ask("run", str(self.execution_count), code):
                if kind != b"done":
                    self.publish(kind, rest)
            return [field.decode(errors="replace") for field in rest]
        except Ended:
            return [self.ended(), ""]
        except OSError as error:
            return [f"luajit cannot be started: {error}", ""]

    async def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        self.is_silent = silent
        before = signal.signal(signal.SIGINT, lambda *_: self.lua and self.lua.interrupt())
        try:
            failed = self.run(code)
        finally:
            signal.signal(signal.SIGINT, before)
        if not failed:
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        message, calls = failed
        content = {"ename": "LuaError", "evalue": message, "traceback": [message] + calls.splitlines()}
        if not silent:
            self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def last_answer(self, *fields):
        """The fields of an answer that is one message; none where the Lua process has ended."""
        try:
            *_, last = self.ask(*fields)
            return [field.decode(errors="replace") for field in last[1:]]
        except Ended:
            self.ended()
        except OSError:
            pass
        return []

    async def do_complete(self, code, cursor_pos):
        before = code[:cursor_pos]
        names = self.last_answer("complete", before)
        word = len(before)
        while word and (before[word - 1].isalnum() or before[word - 1] == "_"):
            word -= 1
        return {"status": "ok", "matches": names, "cursor_start": word, "cursor_end": cursor_pos, "metadata": {}}

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        while cursor_pos < len(code) and (code[cursor_pos].isalnum() or code[cursor_pos] == "_"):
            cursor_pos += 1
        text = self.last_answer("about", code[:cursor_pos].rstrip("( "))
        return {"status": "ok", "found": bool(text), "data": {"text/plain": text[0]} if text else {}, "metadata": {}}

    async def do_is_complete(self, code):
        state = self.last_answer("whole", code)
        return {"status": state[0] if state else "unknown", "indent": ""}

    async def do_shutdown(self, restart):
        if self.lua is not None:
            self.lua.end()
            self.lua = None
        return {"status": "ok", "restart": restart}


def install(prefix):
    """Tells Jupyter of this file. Paths in which Lua looks now are kept, and the source tree's are added to them."""
    from jupyter_client.kernelspec import KernelSpecManager
    here = os.path.abspath(__file__)
    tree = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    paths = {name: os.environ[name] for name in ("LUA_PATH", "LUA_CPATH") if name in os.environ}
    if os.path.exists(os.path.join(tree, "lua", "moonarray", "init.lua")):
        paths["LUA_PATH"] = f"{tree}/lua/?.lua;{tree}/lua/?/init.lua;{paths.get('LUA_PATH', ';')}"
        paths["LUA_CPATH"] = f"{tree}/?.so;{paths.get('LUA_CPATH', ';')}"
    spec = {"argv": [sys.executable, here, "-f", "{connection_file}"], "display_name": "LuaJIT (moonarray)",
            "language": "lua", "interrupt_mode": "signal", "env": paths}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(spec, file, indent=1)
        print(KernelSpecManager().install_kernel_spec(folder, "moonarray", user=prefix is None, prefix=prefix))


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        arguments = argparse.ArgumentParser(prog="moonarray_kernel.py install")
        arguments.add_argument("--prefix", help="a folder such as sys.prefix, in place of the user's own")
        install(arguments.parse_args(sys.argv[2:]).prefix)
    else:
        IPKernelApp.launch_instance(kernel_class=MoonarrayKernel)
