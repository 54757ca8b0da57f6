# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which scenario shows which form of a sentence: data/story_forms.txt, read, held, and written anew.

A scenario is a capture, of pcaps/, of pcaps/make, of told_scenarios.py, or a random one by its seed (scenario-0061.pcap), and
the number of the connection, unless the story is of the one that --story auto chooses.
"""
import pathlib
import re

import random_scenarios
import told_scenarios

LIST = pathlib.Path(__file__).resolve().parents[1] / "data/story_forms.txt"
SEED = re.compile(r"scenario-(\d{4})\.pcap")


class Forms:
    def __init__(self, told, place, drawn, known):
        """@drawn: so many random captures are there already; @known: the captures that are."""
        self.told, self.listed, self.never, self.asked = told, {}, {}, {}
        for line in LIST.read_text(encoding="ascii").splitlines() if LIST.exists() else ():
            form, _, scenario = line.partition("\t")
            if line and not line.startswith("#"):
                (self.never if scenario.startswith("never: ") else self.listed)[form] = scenario
        self.captures = told_scenarios.write(place)
        names = {scenario.split(" ")[0] for scenario in self.listed.values()}
        seeds = {int(match[1]) for match in map(SEED.fullmatch, names) if match}
        for seed in sorted(seed for seed in seeds if seed >= drawn):
            self.captures += random_scenarios.write(place, 1, seed)
        paths = {path.name: path for path in [*known, *self.captures]}
        for scenario in sorted(set(self.listed.values())):
            name, _, number = scenario.partition(" ")
            if number not in ("", "0") and name in paths:
                self.asked.setdefault(int(number), []).append(paths[name])

    def faults(self):
        """[fault] of the list; and of words that have another plural."""
        forms, seen = list(dict.fromkeys(self.told.forms())), {form: set(map(label, at)) for form, at in self.told.seen.items()}
        for which, at in self.told.nameless.items():
            yield f"{which} names a frame, and there is none: {label(at)}"
        for form in forms:
            if form.endswith(("ys", "ss", "xs", "chs")):
                yield f"the plural in {form!r} is no word"
            if form in self.never:
                if form in seen:
                    yield f"form {form!r} has a scenario, {min(seen[form])}: {LIST.name} says that there is none"
            elif form not in self.listed:
                yield f"form {form!r} has no scenario in {LIST.name}: " + \
                    (f"{min(seen[form])} shows it" if form in seen else "nothing shows it; told_scenarios.py is the place for one")
            elif self.listed[form] not in seen.get(form, ()):
                yield f"form {form!r} is not shown by {self.listed[form]}, as {LIST.name} says" + \
                    (f", but by {min(seen[form])}" if form in seen else "")
        for form in {**self.listed, **self.never}:
            if form not in forms:
                yield f"{LIST.name}: event.def has no form {form!r}"

    def update(self):
        """Writes the list: what shows a form still does, or else the first that does."""
        seen = {form: set(map(label, at)) for form, at in self.told.seen.items()}
        head = [line for line in LIST.read_text(encoding="ascii").splitlines() if line.startswith("#")]
        for form in dict.fromkeys(self.told.forms()):
            scenario = self.never.get(form) or self.listed.get(form)
            if form in seen and scenario not in seen[form]:
                scenario = min(seen[form])
            if scenario:
                head.append(f"{form}\t{scenario}")
        LIST.write_text("\n".join(head) + "\n", encoding="ascii")


def label(scenario):
    name, asked = scenario
    return name if asked == "auto" else f"{name} {asked}"
