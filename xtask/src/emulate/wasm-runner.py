"""Runs a program for wasm32-wasip1 in wasmtime: `wasm-runner.py PROGRAM [ARGUMENT]...`.

The program sees the environment, the standard streams and the folders of HASHLANES_FOLDERS, which
are separated by colons. Compiled code is kept in the user's cache, as wasmtime's own program does.
"""

import os
import sys

from wasmtime import Config, Engine, ExitTrap, Linker, Module, Store, Trap, WasiConfig

program = sys.argv[1]
config = Config()
config.cache = True
engine = Engine(config)

wasi = WasiConfig()
wasi.argv = sys.argv[1:]
wasi.env = list(os.environ.items())
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
for folder in filter(None, os.environ.get("HASHLANES_FOLDERS", "").split(":")):
    wasi.preopen_dir(folder, folder)

store = Store(engine)
store.set_wasi(wasi)
linker = Linker(engine)
linker.define_wasi()
instance = linker.instantiate(store, Module.from_file(engine, program))
try:
    instance.exports(store)["_start"](store)
except ExitTrap as exit:
    sys.exit(exit.code)
except Trap as trap:
    # A panic, which has printed its reason.
    sys.exit(str(trap))
