"""TRL's SFTTrainer with prefix-tree batches: same loss and gradients as its padded batches, shared prefixes computed once."""

import json
import os
import shutil
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast
from trl import SFTTrainer

from .prefix_tree import PrefixTree, partition_rows, prefix_tree
from .rows import Row

# Nodes per forward pass. Activations of a 135M model take some 2.5 MB a node in fp32, so this bounds them to about 5 GB;
# a batch with a larger tree is split into several passes whose gradients add up.
NODE_LIMIT = 2048

COMPLETE_MARK = "complete.json"


def placeholder_tokenizer() -> PreTrainedTokenizerFast:
    """SFTTrainer insists on a tokenizer; rows are token ids already, so nothing is ever tokenised with it."""
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"-": 0}, unk_token="-")), pad_token="-", eos_token="-")


def collate(examples: list[dict]) -> dict:
    """A batch as trees, the number of its targets, and its tokens counted row by row as if nothing were shared."""
    rows = [
        Row(tuple(example["input_ids"]), tuple((start, end) for start, end in example["supervised"])) for example in examples
    ]
    return {
        "trees": [vars(prefix_tree(group)) for group in partition_rows(rows, NODE_LIMIT)],
        "target_count": sum(row.target_count() for row in rows),
        "row_tokens": sum(len(row.input_ids) for row in rows),
    }


def tree_loss(model: torch.nn.Module, tree: PrefixTree) -> torch.Tensor:
    """Negative log-likelihood summed over all supervised tokens of all rows in the tree, in nats. The model uses tree attention."""
    logits = model(
        input_ids=tree.input_ids[None],
        position_ids=tree.position_ids[None],
        branches=tree.branches(),
        logits_to_keep=tree.predictors,
        use_cache=False,
    ).logits[0].float()
    normaliser = torch.logsumexp(logits, dim=-1)[tree.transition_predictor]
    chosen = logits[tree.transition_predictor, tree.transition_target]
    return ((normaliser - chosen) * tree.transition_count).sum()


class PrefixTreeTrainer(SFTTrainer):
    """
    Batches come from `collate`. The loss of a batch is the mean over its supervised tokens, as in SFTTrainer. Checkpoints are
    Trainer checkpoints with a mark written last; one without the mark was cut short and must not be resumed from.
    """

    row_tokens_seen = 0
    seconds_before = 0.0
    started_at = 0.0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        return sum(tree_loss(model, PrefixTree(**tree)) for tree in inputs["trees"]) / inputs["target_count"]

    def training_step(self, model, inputs, num_items_in_batch=None):
        # One backward pass per tree, so that only one tree's activations are alive.
        model.train()
        inputs = self._prepare_inputs(inputs)
        total = torch.zeros((), device=self.args.device)
        for tree in inputs["trees"]:
            with self.compute_loss_context_manager():
                loss = self.compute_loss(model, {**inputs, "trees": [tree]})
            self.accelerator.backward(loss)
            total += loss.detach()
        self.row_tokens_seen += inputs["row_tokens"]
        return total

    def seconds(self) -> float:
        """Seconds spent on this job, earlier processes that reached a checkpoint included."""
        return self.seconds_before + time.monotonic() - self.started_at

    def create_model_card(self, *args, **kwargs):
        # The caller's manifest describes the adapter; the card would add a template text to every checkpoint.
        return

    def _save_checkpoint(self, model, trial):
        super()._save_checkpoint(model, trial)
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        for file in folder.iterdir():
            with open(file, "rb") as handle:
                os.fsync(handle.fileno())
        write_atomically(folder / COMPLETE_MARK, json.dumps({"step": self.state.global_step, "seconds": self.seconds()}))


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never a part."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def newest_complete_checkpoint(folder: Path) -> Path | None:
    """The marked checkpoint with the highest step. Those that were cut short are removed: they may be what filled the disk."""
    marked = []
    for checkpoint in folder.glob("checkpoint-*"):
        if (checkpoint / COMPLETE_MARK).exists():
            marked.append(checkpoint)
        else:
            shutil.rmtree(checkpoint)
    return max(marked, key=lambda checkpoint: int(checkpoint.name.rsplit("-", 1)[1]), default=None)
