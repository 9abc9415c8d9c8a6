#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion in the shells that are installed: what each offers after a line that is half typed."""

import pathlib
import shutil
import subprocess
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

# The words of a line, the last of which is being typed, and what is offered.
LINES = [
    (["ver"], {"verify", "version"}),
    (["help", "insp"], {"inspect"}),
    (["convert", "model.onnx", "--to", "rel"], {"relay", "relax"}),
    (["convert", "model.onnx", "--level", "s"], {"source"}),
    (["convert", "model.onnx", "--unr"], {"--unroll"}),
    (["run", "model.onnx", "--engine", "n"], {"native"}),
    (["completion", "z"], {"zsh"}),
    (["ops", "LayerN"], {"LayerNormalization"}),
    (["ops", "--from", "torch"], {"torchao", "torchaudio", "torchscript", "torchvision"}),
    (["inspect", "model.onnx", "--to", "re"], {"relay", "relax"}),
]
# After a comma, too.
LISTS = [(["convert", "model.onnx", "--passes", "default,fold-const"], {"default,fold-constants"}),
         (["convert", "model.onnx", "--passes", "default,-fuse-r"], {"default,-fuse-recurrences"}),
         (["diff", "a.onnx", "b.onnx", "--ignore", "weights,sh"], {"weights,shapes"})]

BASH = """source <(dragoman completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dragoman; printf '%s\\n' "${COMPREPLY[@]}" """
# zsh's own functions ask a terminal, so that those of bash, which ours are, are asked; what does
# not begin as the word is left out by zsh.
ZSH = """autoload -U compinit && compinit -u -D
source <(dragoman completion zsh)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); setopt ksh_arrays sh_word_split; _dragoman
printf '%s\\n' "${COMPREPLY[@]}" """
FISH = "dragoman completion fish | source; complete -C (string join ' ' -- $argv)"


class Completion(CommandCase):
    def offered(self, shell, script, words):
        with_program = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.out)}
        name = ["shell"] if shell != "fish" else []
        done = subprocess.run([shutil.which(shell), "-c", script, *name, "dragoman", *words],
                              capture_output=True, text=True, env=with_program, check=False)
        self.assertEqual(done.stderr, "")
        offers = {line.split("\t")[0] for line in done.stdout.splitlines()}
        return {offer for offer in offers if offer.startswith(words[-1]) or shell != "zsh"}

    def check(self, shell, script, lines):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        for words, expected in lines:
            with self.subTest(words=words):
                self.assertEqual(self.offered(shell, script, words), expected)

    def setUp(self):
        super().setUp()
        self.bin = self.out / "bin"
        self.bin.mkdir()
        (self.bin / "dragoman").symlink_to(pathlib.Path(DRAGOMAN).resolve())

    def test_bash(self):
        self.check("bash", BASH, LINES + LISTS)

    def test_zsh(self):
        self.check("zsh", ZSH, LINES + LISTS)

    def test_fish(self):
        self.check("fish", FISH, [line for line in LINES if line[0][0] not in ("help", "ver")])


if __name__ == "__main__":
    unittest.main()
