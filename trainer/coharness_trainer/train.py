"""One training job from start to finish, in the order things happen."""

import contextlib
import json
import shutil
import time
from collections.abc import Callable
from importlib.metadata import version
from math import ceil
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import PrinterCallback, TrainerCallback
from trl import SFTConfig

from .adapter_gguf import write_adapter_gguf
from .base_model import compute_device, load_base
from .failure import TrainerFailure
from .job import Job, file_hash
from .prefix_tree_trainer import (
    COMPLETE_MARK,
    PrefixTreeTrainer,
    collate,
    newest_complete_checkpoint,
    placeholder_tokenizer,
    write_atomically,
)
from .rows import read_rows
from .tree_attention import use_tree_attention

MANIFEST_VERSION = 1
# A killed run's trainer may need a moment to notice and to let go.
LOCK_PATIENCE_SECONDS = 20
# What a kill may cost where steps are slow, whatever number of steps the job says.
CHECKPOINT_SECONDS = 60

Emit = Callable[[dict], None]


class ProgressEvents(TrainerCallback):
    """`progress` after every optimiser step, `checkpoint` once a checkpoint is complete; asks for one after CHECKPOINT_SECONDS without."""

    def __init__(self, emit: Emit):
        self.emit = emit
        self.trainer: PrefixTreeTrainer | None = None

    def on_train_begin(self, args, state, control, **kwargs):
        self.first_step, self.began = state.global_step, time.monotonic()
        self.saved_at = self.began

    def on_step_end(self, args, state, control, **kwargs):
        is_late = time.monotonic() - self.saved_at >= CHECKPOINT_SECONDS
        control.should_save |= is_late and state.global_step < state.max_steps

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs is None or "loss" not in logs:
            return
        elapsed = time.monotonic() - self.began
        done = state.global_step - self.first_step
        self.emit(
            {
                "event": "progress",
                "step": state.global_step,
                "steps": state.max_steps,
                "loss": logs["loss"],
                "tokensPerSecond": round(self.trainer.row_tokens_seen / elapsed, 1),
                "secondsLeft": round(elapsed / done * (state.max_steps - state.global_step), 1),
            }
        )

    def on_save(self, args, state, control, **kwargs):
        self.saved_at = time.monotonic()
        self.emit({"event": "checkpoint", "step": state.global_step})


def claim_output(job: Job) -> dict | None:
    """
    Makes the output folder this job's own. Returns the manifest when the job is finished already. Fails with
    `output-in-use` when another job started there: its checkpoints must not continue this one.
    """
    fingerprint = job.fingerprint()
    claim = job.output / "claim.json"
    if claim.exists():
        owner = json.loads(claim.read_text(encoding="utf-8"))["fingerprint"]
        if owner != fingerprint:
            raise TrainerFailure(
                "output-in-use",
                f"{job.output} belongs to job {owner[:8]}, this is job {fingerprint[:8]}. Give this job its own output folder.",
            )
    else:
        write_atomically(claim, json.dumps({"version": MANIFEST_VERSION, "fingerprint": fingerprint}))
    manifest = job.output / "manifest.json"
    return json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else None


@contextlib.contextmanager
def sole_owner(output: Path):
    """
    Holds the output folder against other processes; the lock goes with the process, however it ends. Fails with
    `output-busy` after LOCK_PATIENCE_SECONDS.
    """
    with open(output / "lock", "w", encoding="utf-8") as lock:
        give_up_at = time.monotonic() + LOCK_PATIENCE_SECONDS
        while not _locked(lock):
            if time.monotonic() > give_up_at:
                raise TrainerFailure(
                    "output-busy", f"Another process is training in {output}. Wait for it or end it, then run the job again."
                )
            time.sleep(0.2)
        yield


def _locked(file) -> bool:
    try:
        import fcntl
    except ImportError:
        # Windows: two trainers on one folder are not noticed there.
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def adapted_model(job: Job, base):
    """The base with the adapter to continue as its one trainable LoRA, or the base alone; and the config of a fresh LoRA."""
    targets = "all-linear" if job.lora.targets == ("all-linear",) else list(job.lora.targets)
    config = LoraConfig(
        r=job.lora.rank, lora_alpha=job.lora.alpha, lora_dropout=job.lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )
    if job.initial_adapter is None:
        return base, config
    model = PeftModel.from_pretrained(base, job.initial_adapter, is_trainable=True)
    found = model.peft_config["default"]
    if (found.r, found.lora_alpha) != (job.lora.rank, job.lora.alpha):
        raise TrainerFailure(
            "initial-adapter-mismatch",
            f"{job.initial_adapter} has rank {found.r} and alpha {found.lora_alpha}, the job asks for rank {job.lora.rank} and alpha "
            f"{job.lora.alpha}. Continue with the same shape, or start from the base.",
        )
    return model, None


def sft_config(job: Job, steps: int, device: torch.device, checkpoints: Path) -> SFTConfig:
    return SFTConfig(
        output_dir=str(checkpoints),
        num_train_epochs=job.training.epochs,
        per_device_train_batch_size=job.training.rows_per_batch,
        gradient_accumulation_steps=1,
        learning_rate=job.training.learning_rate,
        lr_scheduler_type="cosine",
        # Rounded down: the first warm-up step has a rate of 0, which a run of two steps cannot afford.
        warmup_steps=int(job.training.warmup_share * steps),
        # A LoRA is small enough that decay only slows it down; 1.0 is the customary bound on a step.
        weight_decay=0.0,
        max_grad_norm=1.0,
        seed=job.training.seed,
        data_seed=job.training.seed,
        # Rows are ready as they are: no truncation, no packing of ours undone, no column dropped.
        max_length=None,
        packing=False,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        # The precision is that of the loaded weights; autocast would be a second opinion.
        bf16=False,
        fp16=False,
        # Recomputing activations costs a third more time; NODE_LIMIT bounds memory instead.
        gradient_checkpointing=False,
        use_cpu=device.type == "cpu",
        dataloader_pin_memory=device.type != "cpu",
        logging_strategy="steps",
        logging_steps=1,
        save_strategy="steps",
        save_steps=job.training.checkpoint_every_steps,
        # The newest may still lack its mark when the machine dies, so one more is kept.
        save_total_limit=2,
        report_to="none",
        disable_tqdm=True,
    )


def train(job: Job, emit: Emit) -> dict:
    """
    Runs the job, or what is left of it, and returns the manifest. The output folder then holds `adapter/` (PEFT),
    `adapter.gguf` and, written last, `manifest.json`. Raises TrainerFailure, or whatever torch raised.
    """
    job.output.mkdir(parents=True, exist_ok=True)
    with sole_owner(job.output):
        return claim_output(job) or _train(job, emit)


def _train(job: Job, emit: Emit) -> dict:
    device, dtype = compute_device()
    if job.threads > 0:
        torch.set_num_threads(job.threads)
    base = load_base(job.base_gguf, job.base_hash, dtype)
    use_tree_attention(base)
    rows = read_rows(job.rows, base.config.vocab_size)
    tokens = sum(len(row.input_ids) for row in rows)
    steps = ceil(len(rows) / job.training.rows_per_batch) * job.training.epochs
    supervised_share = sum(row.target_count() for row in rows) / tokens
    emit({"event": "started", "rows": len(rows), "tokens": tokens, "supervisedShare": round(supervised_share, 5), "steps": steps})

    model, fresh_lora = adapted_model(job, base)
    checkpoints = job.output / "checkpoints"
    progress = ProgressEvents(emit)
    trainer = PrefixTreeTrainer(
        model=model,
        args=sft_config(job, steps, device, checkpoints),
        train_dataset=Dataset.from_list(
            [{"input_ids": list(row.input_ids), "supervised": [list(span) for span in row.supervised]} for row in rows]
        ),
        data_collator=collate,
        processing_class=placeholder_tokenizer(),
        peft_config=fresh_lora,
        callbacks=[progress],
    )
    trainer.remove_callback(PrinterCallback)
    progress.trainer = trainer

    checkpoint = newest_complete_checkpoint(checkpoints)
    if checkpoint is not None:
        trainer.seconds_before = json.loads((checkpoint / COMPLETE_MARK).read_text(encoding="utf-8"))["seconds"]
    trainer.started_at = time.monotonic()
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))

    adapter = job.output / "adapter"
    trainer.model.save_pretrained(adapter)
    write_adapter_gguf(adapter, job.base_gguf, job.output / "adapter.gguf")
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    # One batch is noisy: the last loss is the mean over the last tenth of the steps.
    last = losses[-max(1, len(losses) // 10) :]
    manifest = {
        "version": MANIFEST_VERSION,
        "fingerprint": job.fingerprint(),
        "adapter": "adapter",
        "adapterGguf": "adapter.gguf",
        "adapterHash": file_hash(job.output / "adapter.gguf"),
        "base": job.base_hash,
        "rows": len(rows),
        "tokens": tokens,
        "steps": steps,
        "supervisedShare": round(supervised_share, 5),
        "firstLoss": losses[0],
        "lastLoss": round(sum(last) / len(last), 6),
        "seconds": round(trainer.seconds(), 2),
        "device": device.type,
        "precision": str(dtype).removeprefix("torch."),
        "versions": {name: version(name) for name in ("torch", "transformers", "trl", "peft", "gguf")},
    }
    write_atomically(job.output / "manifest.json", json.dumps(manifest, indent=2))
    shutil.rmtree(checkpoints, ignore_errors=True)
    return manifest
