"""
python benchmarks/prefix_packing.py BASE.gguf ROWS.jsonl: seconds per optimiser step of TRL's own padded batches and of
prefix-tree batches, same rows, same model, same LoRA, one process. Needs PYTHONPATH=trainer.

CPU seconds on one thread by default: they hardly move when the machine is shared, wall time does.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig
from trl import SFTTrainer

from coharness_trainer.base_model import compute_device, load_base
from coharness_trainer.job import file_hash, parse_job
from coharness_trainer.prefix_tree_trainer import PrefixTreeTrainer, collate, placeholder_tokenizer
from coharness_trainer.rows import read_rows
from coharness_trainer.train import sft_config
from coharness_trainer.tree_attention import use_tree_attention

LORA = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--rows-per-batch", type=int, default=16)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=["prefix-tree", "padded"], default=["prefix-tree", "padded"])
    # 16 padded rows of 340 tokens took more than 12 GB; its seconds per row do not depend on how many share a pass.
    parser.add_argument("--padded-rows-per-pass", type=int, default=4)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device, dtype = compute_device()
    rows = read_rows(options.rows, 2**31)[: options.rows_per_batch * options.steps]

    for kind in options.kinds:
        base = load_base(options.base, file_hash(options.base), dtype)
        examples = []
        for row in rows:
            labels = [-100] * len(row.input_ids)
            for start, end in row.supervised:
                labels[start:end] = row.input_ids[start:end]
            spans = [list(span) for span in row.supervised]
            examples.append({"input_ids": list(row.input_ids), "supervised": spans, "labels": labels})
        with tempfile.TemporaryDirectory() as folder:
            job = parse_job({
                "version": 1, "base": {"gguf": str(options.base), "hash": "-"}, "initialAdapter": None, "rows": str(options.rows),
                "output": folder, "lora": {"rank": 16, "alpha": 32, "dropout": 0, "targets": ["all-linear"]},
                "training": {"epochs": 1, "learningRate": 5e-4, "rowsPerBatch": options.rows_per_batch, "warmupShare": 0,
                             "seed": 0, "checkpointEverySteps": 10**6},
                "threads": options.threads,
            })  # fmt: skip
            shared = {
                "model": base, "args": sft_config(job, options.steps, device, Path(folder)),
                "processing_class": placeholder_tokenizer(), "peft_config": LORA,
            }  # fmt: skip
            if kind == "prefix-tree":
                use_tree_attention(base)
                trainer = PrefixTreeTrainer(train_dataset=Dataset.from_list(examples), data_collator=collate, **shared)
            else:
                plain = Dataset.from_list(examples).remove_columns("supervised")
                shared["args"].per_device_train_batch_size = min(options.padded_rows_per_pass, options.rows_per_batch)
                shared["args"].gradient_accumulation_steps = -(-options.rows_per_batch // options.padded_rows_per_pass)
                trainer = SFTTrainer(train_dataset=plain, **shared)
            wall, cpu = time.monotonic(), time.process_time()
            trainer.train()
            wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        tokens = sum(len(row.input_ids) for row in rows)
        print(
            json.dumps(
                {
                    "kind": kind,
                    "rows": len(rows),
                    "tokens": tokens,
                    "threads": options.threads,
                    "wallSecondsPerRow": round(wall / len(rows), 3),
                    "cpuSecondsPerRow": round(cpu / len(rows), 3),
                    "tokensPerCpuSecond": round(tokens / cpu, 1),
                    "losses": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
                    # Highest so far in this process, hence the frugal kind first.
                    "peakGigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
