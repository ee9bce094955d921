"""Training rows: one per model call, token ids exactly as they were evaluated and sampled."""

import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from .failure import TrainerFailure

# A row holds a prompt and a completion of an agent. Above 0.9 the prompt went missing; below one target in 2,000 tokens
# the mask has shifted rather than the prompt grown: a 16-token call after an 8k window is still 0.002.
PLAUSIBLE_SUPERVISED_SHARE = (0.0005, 0.9)


@dataclass(frozen=True)
class Row:
    input_ids: tuple[int, ...]
    # Half-open, ascending, disjoint ranges of input_ids that are targets.
    supervised: tuple[tuple[int, int], ...]

    def target_count(self) -> int:
        return sum(end - start for start, end in self.supervised)


def parse_row(value, place: str, vocabulary_size: int) -> Row:
    """Fails with `bad-row` or `row-without-target`; `place` is file:line."""

    def bad(problem: str) -> TrainerFailure:
        return TrainerFailure("bad-row", f"{place}: {problem}. Rows are {{input_ids: [..], supervised: [[start, end), ..]}}.")

    if not isinstance(value, dict) or set(value) != {"input_ids", "supervised"}:
        raise bad("not an object with exactly input_ids and supervised")
    ids, spans = value["input_ids"], value["supervised"]
    if not isinstance(ids, list) or not all(type(token) is int and 0 <= token < vocabulary_size for token in ids):
        raise bad(f"input_ids must be whole numbers below the vocabulary size {vocabulary_size}")
    if not isinstance(spans, list):
        raise bad("supervised must be a list of [start, end) pairs")
    # Token 0 has no predecessor and cannot be a target.
    free_from = 1
    for span in spans:
        if not isinstance(span, list) or len(span) != 2 or not all(type(bound) is int for bound in span):
            raise bad(f"supervised span {span!r} is not a [start, end) pair")
        start, end = span
        if not free_from <= start < end <= len(ids):
            raise bad(f"supervised span [{start}, {end}) must lie in [{free_from}, {len(ids)}], ascending, not empty")
        free_from = end
    if not spans:
        raise TrainerFailure(
            "row-without-target",
            f"{place}: no token is supervised, so the row would train on nothing. Leave it out or correct its mask.",
        )
    return Row(tuple(ids), tuple((start, end) for start, end in spans))


def read_rows(path: Path, vocabulary_size: int) -> list[Row]:
    """All rows in file order. Fails with `no-rows`, `bad-row`, `row-without-target` or `implausible-mask`."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip() == "":
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                raise TrainerFailure("bad-row", f"{path}:{number}: not valid JSON ({error}).") from error
            rows.append(parse_row(value, f"{path}:{number}", vocabulary_size))
    if not rows:
        raise TrainerFailure("no-rows", f"{path} holds no row: there is nothing to train on. Collect verified successes first.")
    median = statistics.median(row.target_count() / len(row.input_ids) for row in rows)
    low, high = PLAUSIBLE_SUPERVISED_SHARE
    if not low <= median <= high:
        raise TrainerFailure(
            "implausible-mask",
            f"{path}: the median share of supervised tokens is {median:.5f}, expected {low} to {high}. The mask is probably shifted.",
        )
    return rows
