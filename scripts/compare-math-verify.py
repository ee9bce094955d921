"""Agreement of the answer checker with math-verify, over a file that scripts/answer-pairs.ts wrote.

    pip install math-verify
    python scripts/compare-math-verify.py pairs.jsonl

Prints the counts and every pair on which the two disagree, with the expected verdict.
"""

import json
import sys
from collections import Counter

from math_verify import parse, verify


TIMEOUT_SECONDS = 300


def math_verify_says(pred: str, gold: str) -> bool:
    wrapped = pred if "boxed" in pred or "\\[" in pred else f"${pred}$"
    # Their time-outs depend on the machine; a verdict must not.
    read = [parse(text, parsing_timeout=TIMEOUT_SECONDS) for text in (f"${gold}$", wrapped)]
    return bool(verify(*read, timeout_seconds=TIMEOUT_SECONDS))


def main() -> None:
    with open(sys.argv[1], encoding="utf8") as file:
        pairs = [json.loads(line) for line in file]
    counts: Counter[str] = Counter()
    for number, pair in enumerate(pairs, start=1):
        try:
            theirs = math_verify_says(pair["pred"], pair["gold"])
        except Exception as error:  # noqa: BLE001  their failure is a verdict here
            theirs = False
            counts[f"math-verify failed: {type(error).__name__}"] += 1
        ours = pair["verdict"] == "equal"
        counts["agree" if ours == theirs else "disagree"] += 1
        counts[f"ours {'right' if ours == pair['expected'] else 'wrong'}"] += 1
        counts[f"math-verify {'right' if theirs == pair['expected'] else 'wrong'}"] += 1
        if ours != theirs:
            print(json.dumps({**pair, "ours": ours, "theirs": theirs}), flush=True)
        if number % 100 == 0:
            print(f"{number} of {len(pairs)}", file=sys.stderr, flush=True)
    print(f"{len(pairs)} pairs")
    for name, count in sorted(counts.items()):
        print(f"{count:6d}  {name}")


if __name__ == "__main__":
    main()
