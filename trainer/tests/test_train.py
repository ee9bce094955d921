import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import torch
from safetensors.torch import load_file
from test_job_and_rows import GOOD_JOB, failure
from tiny_model import VOCABULARY, write_tiny_gguf

from coharness_trainer.job import file_hash, parse_job
from coharness_trainer import train as train_module
from coharness_trainer.train import sole_owner, train


class Killed(BaseException):
    """Stands in for SIGKILL: nothing of ours catches it."""


class TrainTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        write_tiny_gguf(self.folder / "base.gguf")
        generator = torch.Generator().manual_seed(0)
        prefix = torch.randint(0, VOCABULARY, (12,), generator=generator).tolist()
        rows = []
        for _ in range(10):
            own = torch.randint(0, VOCABULARY, (6,), generator=generator).tolist()
            rows.append({"input_ids": [*prefix, *own], "supervised": [[15, 18]]})
        self.rows = self.folder / "rows.jsonl"
        self.rows.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def job(self, output: str, initial: Path | None = None, **training):
        base = self.folder / "base.gguf"
        return parse_job(
            {
                **GOOD_JOB,
                "base": {"gguf": str(base), "hash": file_hash(base)},
                "initialAdapter": None if initial is None else str(initial),
                "rows": str(self.rows),
                "output": str(self.folder / output),
                "lora": {"rank": 4, "alpha": 8, "dropout": 0.1, "targets": ["all-linear"]},
                "training": {
                    "epochs": 2, "learningRate": 1e-2, "rowsPerBatch": 4, "warmupShare": 0.1, "seed": 5,
                    "checkpointEverySteps": 2, **training,
                },
            }
        )  # fmt: skip

    def test_trains_reports_and_leaves_a_finished_folder(self):
        events = []
        manifest = train(self.job("one", epochs=4), events.append)
        self.assertEqual(events[0] | {"tokens": 180}, {
            "event": "started", "rows": 10, "tokens": 180, "supervisedShare": round(30 / 180, 5), "steps": 12,
        })  # fmt: skip
        self.assertEqual([event["step"] for event in events if event["event"] == "progress"], list(range(1, 13)))
        self.assertEqual([event["step"] for event in events if event["event"] == "checkpoint"], [2, 4, 6, 8, 10, 12])
        self.assertLess(manifest["lastLoss"], manifest["firstLoss"])
        output = self.folder / "one"
        self.assertEqual(sorted(path.name for path in output.iterdir()), ["adapter", "adapter.gguf", "claim.json", "lock", "manifest.json"])
        self.assertEqual(manifest["adapterHash"], file_hash(output / "adapter.gguf"))

        again = []
        self.assertEqual(train(self.job("one", epochs=4), again.append), manifest)
        self.assertEqual(again, [], "a finished job is not run again")

    def test_a_killed_job_continues_from_its_newest_complete_checkpoint_to_the_same_adapter(self):
        whole = train(self.job("whole"), lambda event: None)

        def kill_after_step_5(event):
            if event["event"] == "progress" and event["step"] == 5:
                raise Killed

        with self.assertRaises(Killed):
            train(self.job("killed"), kill_after_step_5)
        # A kill in the middle of writing leaves a folder without its mark.
        (self.folder / "killed" / "checkpoints" / "checkpoint-5").mkdir()
        events = []
        resumed = train(self.job("killed"), events.append)
        self.assertEqual([event["step"] for event in events if event["event"] == "progress"], [5, 6])
        self.assertEqual(resumed["adapterHash"], whole["adapterHash"])
        self.assertEqual((resumed["firstLoss"], resumed["lastLoss"]), (whole["firstLoss"], whole["lastLoss"]))

    def test_slow_steps_are_kept_before_their_number_is_reached(self):
        def checkpoints(output: str) -> list[int]:
            events = []
            train(self.job(output, checkpointEverySteps=1000), events.append)
            return [event["step"] for event in events if event["event"] == "checkpoint"]

        with mock.patch.object(train_module, "CHECKPOINT_SECONDS", 0):
            self.assertEqual(checkpoints("slow")[:5], [1, 2, 3, 4, 5])
        self.assertNotIn(1, checkpoints("quick"))

    def test_continued_training_starts_at_the_given_adapter_and_stays_one_lora(self):
        first = train(self.job("first", epochs=6), lambda event: None)
        initial = self.folder / "first" / "adapter"
        second = train(self.job("second", initial, epochs=1, learningRate=1e-8), lambda event: None)
        self.assertLess(second["firstLoss"], first["firstLoss"])
        before = load_file(initial / "adapter_model.safetensors")
        after = load_file(self.folder / "second" / "adapter" / "adapter_model.safetensors")
        self.assertEqual(before.keys(), after.keys())
        for name, weights in before.items():
            torch.testing.assert_close(after[name], weights, atol=1e-5, rtol=1e-5)

    def test_does_not_train_where_another_process_is_training(self):
        output = self.folder / "one"
        output.mkdir()
        with sole_owner(output), mock.patch.object(train_module, "LOCK_PATIENCE_SECONDS", 0):
            self.assertEqual(failure(lambda: train(self.job("one"), lambda event: None)).code, "output-busy")

    def test_refuses_another_shape_for_the_adapter_to_continue(self):
        train(self.job("first", epochs=1), lambda event: None)
        job = self.job("second", self.folder / "first" / "adapter")
        wider = parse_job({**GOOD_JOB, "lora": {**GOOD_JOB["lora"], "rank": 8}}).lora
        job = job.__class__(**{**job.__dict__, "lora": wider})
        self.assertEqual(failure(lambda: train(job, lambda event: None)).code, "initial-adapter-mismatch")

    def test_refuses_a_base_that_is_not_the_served_one(self):
        job = self.job("one")
        job = job.__class__(**{**job.__dict__, "base_hash": "0" * 64})
        self.assertEqual(failure(lambda: train(job, lambda event: None)).code, "base-mismatch")

    def test_does_not_continue_a_different_job_in_the_same_folder(self):
        train(self.job("one", epochs=1), lambda event: None)
        self.assertEqual(failure(lambda: train(self.job("one", epochs=2), lambda event: None)).code, "output-in-use")


if __name__ == "__main__":
    unittest.main()
