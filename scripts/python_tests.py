"""python scripts/python_tests.py FOLDER: all unittest tests below FOLDER; writes TestCounts (scripts/test-counts.ts) to $CO_HARNESS_TEST_COUNTS."""

import json
import os
import sys
import unittest


class CountingResult(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.succeeded = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.succeeded += 1


def main(folder: str) -> int:
    suite = unittest.defaultTestLoader.discover(folder)
    result = unittest.TextTestRunner(verbosity=2, resultclass=CountingResult).run(suite)
    bad = result.failures + result.errors
    bad += [(test, "passed, which was not expected") for test in result.unexpectedSuccesses]
    counts = {
        "passed": result.succeeded + len(result.expectedFailures),
        "failed": len(bad),
        "failures": [{"name": str(test), "reason": text.strip().splitlines()[-1]} for test, text in bad],
        "skipped": [{"name": str(test), "reason": reason} for test, reason in result.skipped],
    }
    with open(os.environ["CO_HARNESS_TEST_COUNTS"], "w", encoding="utf-8") as file:
        json.dump(counts, file)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
