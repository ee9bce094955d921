import copy
import errno
import json
import tempfile
import unittest
from pathlib import Path

from coharness_trainer.failure import TrainerFailure, failure_of
from coharness_trainer.job import parse_job, read_job
from coharness_trainer.rows import read_rows

GOOD_JOB = {
    "version": 1,
    "base": {"gguf": "base.gguf", "hash": "0" * 64},
    "initialAdapter": None,
    "rows": "rows.jsonl",
    "output": "output",
    "lora": {"rank": 16, "alpha": 32, "dropout": 0, "targets": ["all-linear"]},
    "training": {
        "epochs": 2, "learningRate": 5e-4, "rowsPerBatch": 16, "warmupShare": 0.05, "seed": 1, "checkpointEverySteps": 10,
    },
    "threads": 0,
}  # fmt: skip


def failure(action) -> TrainerFailure:
    try:
        action()
    except TrainerFailure as raised:
        return raised
    raise AssertionError("nothing was refused")


class JobTest(unittest.TestCase):
    def test_reads_a_good_job(self):
        job = parse_job(GOOD_JOB)
        self.assertEqual((job.lora.rank, job.training.rows_per_batch, job.initial_adapter), (16, 16, None))

    def test_names_the_field_that_is_wrong(self):
        wrong = {
            "version": 2, "base.hash": "", "lora.rank": 0, "lora.targets": [], "lora.dropout": 1, "training.epochs": 1.5,
            "training.learningRate": "fast", "training.warmupShare": 1, "training.seed": -1, "threads": True, "rows": None,
        }  # fmt: skip
        for field, value in wrong.items():
            job = copy.deepcopy(GOOD_JOB)
            holder = job
            *groups, name = field.split(".")
            for group in groups:
                holder = holder[group]
            holder[name] = value
            refused = failure(lambda job=job: parse_job(job))
            self.assertEqual(refused.code, "bad-job")
            self.assertIn(field, refused.message)

    def test_refuses_unknown_and_missing_fields(self):
        refused = failure(lambda: parse_job({**GOOD_JOB, "speed": 9}))
        self.assertIn("speed", refused.message)
        refused = failure(lambda: parse_job({name: value for name, value in GOOD_JOB.items() if name != "rows"}))
        self.assertIn("rows", refused.message)

    def test_refuses_a_file_that_is_no_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "job.json"
            self.assertEqual(failure(lambda: read_job(path)).code, "bad-job")
            path.write_text("{", encoding="utf-8")
            self.assertEqual(failure(lambda: read_job(path)).code, "bad-job")


class RowsTest(unittest.TestCase):
    def read(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.jsonl"
            path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
            return read_rows(path, 100)

    def test_reads_rows_in_file_order(self):
        rows = self.read({"input_ids": [1, 2, 3], "supervised": [[2, 3]]}, {"input_ids": [4, 5, 6], "supervised": [[1, 2], [2, 3]]})
        self.assertEqual([row.target_count() for row in rows], [1, 2])

    def test_refuses_a_row_that_trains_on_nothing_and_names_its_line(self):
        refused = failure(
            lambda: self.read({"input_ids": [1, 2, 3], "supervised": [[2, 3]]}, {"input_ids": [1, 2, 3], "supervised": []})
        )
        self.assertEqual(refused.code, "row-without-target")
        self.assertIn("rows.jsonl:2", refused.message)

    def test_refuses_spans_that_do_not_fit(self):
        for span in ([0, 1], [2, 2], [2, 4], [1.0, 2], [1]):
            refused = failure(lambda span=span: self.read({"input_ids": [1, 2, 3], "supervised": [span]}))
            self.assertEqual(refused.code, "bad-row", span)
        refused = failure(lambda: self.read({"input_ids": [1, 2, 3, 4], "supervised": [[2, 4], [1, 2]]}))
        self.assertEqual(refused.code, "bad-row")

    def test_refuses_token_ids_outside_the_vocabulary(self):
        for token in (100, -1, 1.5, True, "1"):
            refused = failure(lambda token=token: self.read({"input_ids": [1, token], "supervised": [[1, 2]]}))
            self.assertEqual(refused.code, "bad-row", token)

    def test_refuses_a_mask_whose_median_share_is_implausible(self):
        everything = {"input_ids": list(range(50)), "supervised": [[1, 50]]}
        next_to_nothing = {"input_ids": [1] * 4000, "supervised": [[3999, 4000]]}
        for row in (everything, next_to_nothing):
            self.assertEqual(failure(lambda row=row: self.read(row)).code, "implausible-mask")

    def test_refuses_an_empty_file_and_a_broken_line(self):
        self.assertEqual(failure(lambda: self.read("")).code, "no-rows")
        self.assertEqual(failure(lambda: self.read('{"input_ids": [1')).code, "bad-row")


class FailureTest(unittest.TestCase):
    def test_a_full_disk_is_recognised_behind_wrappers(self):
        try:
            try:
                raise OSError(errno.ENOSPC, "No space left on device")
            except OSError as cause:
                raise RuntimeError("cannot save") from cause
        except RuntimeError as error:
            self.assertEqual(failure_of(error).code, "disk-full")
        for text in (
            "I/O error: No space left on device (os error 28)",
            "[enforce fail at inline_container.cc:671] . unexpected pos 334144 vs 334036",
        ):
            self.assertEqual(failure_of(RuntimeError(text)).code, "disk-full")

    def test_other_exceptions_keep_their_name(self):
        self.assertEqual(failure_of(MemoryError()).code, "out-of-memory")
        self.assertEqual(failure_of(ModuleNotFoundError("No module named 'trl'")).code, "packages-missing")
        self.assertIn("KeyError", failure_of(KeyError("x")).message)


if __name__ == "__main__":
    unittest.main()
