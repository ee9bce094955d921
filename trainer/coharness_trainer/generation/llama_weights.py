"""Weights of a Llama model, arranged for few and large matrix products."""

from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as functional
from transformers import PreTrainedModel

from ..base_model import load_base
from ..failure import TrainerFailure


# Rows for which the order of packed weights is chosen; it stays right for any other number.
USUAL_ROWS = 128


class Linear:
    """x·Wᵀ + bias for W of shape [out, in], the weights in the order in which oneDNN reads them where there is such an order."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None):
        self.bias = bias
        # Measured on AVX2 in fp32, 64 to 512 rows: 1.2 to 2.8 times as fast as torch.nn.functional.linear.
        self.is_packed = weight.device.type == "cpu" and torch.backends.mkldnn.is_available()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight, USUAL_ROWS) if self.is_packed else weight

    def __call__(self, values: torch.Tensor) -> torch.Tensor:
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(values, self.weight, self.bias, "none", [], "")
        return functional.linear(values, self.weight, self.bias)

    def silu(self, values: torch.Tensor) -> torch.Tensor:
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(values, self.weight, self.bias, "swish", [], "")
        return functional.silu(self(values))

    def times(self, factor: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise.binary(values, factor, self.weight, self.bias, "mul")
        return factor * self(values)

    def added_to(self, sum_before: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise.binary(values, sum_before, self.weight, self.bias, "add")
        return sum_before + self(values)


@dataclass(frozen=True)
class LlamaLayer:
    attention_norm: torch.Tensor
    # Rows: query heads, key heads, value heads.
    query_key_value: Linear
    attention_output: Linear
    mlp_norm: torch.Tensor
    gate: Linear
    up: Linear
    down: Linear


@dataclass(frozen=True)
class LlamaWeights:
    embedding: torch.Tensor
    layers: list[LlamaLayer]
    final_norm: torch.Tensor
    vocabulary: Linear
    # [window, head width]: as transformers computes them for these positions, sines of the first half negated.
    cosines: torch.Tensor
    signed_sines: torch.Tensor
    query_heads: int
    key_heads: int
    head_width: int
    norm_epsilon: float

    @property
    def dtype(self) -> torch.dtype:
        return self.embedding.dtype

    @property
    def window(self) -> int:
        return self.cosines.shape[0]


def served_model(base: Path, base_hash: str, adapter: Path | None, dtype: torch.dtype) -> PreTrainedModel:
    """The base, or the base with W + B·A·(alpha / rank) for every adapted W, computed in fp32 and rounded to `dtype` once."""
    model = load_base(base, base_hash, torch.float32)
    if adapter is not None:
        # Takes 3 s, which the base alone need not wait for.
        from peft import PeftModel

        try:
            model = PeftModel.from_pretrained(model, adapter).merge_and_unload(safe_merge=True)
        except Exception as error:
            raise TrainerFailure(
                "adapter-unreadable",
                f"{adapter} cannot be merged into {base}: {error}. It must be a PEFT folder made for exactly this base.",
            ) from error
    return model.to(dtype).eval()


def llama_weights(model: PreTrainedModel, window: int) -> LlamaWeights:
    """
    Positions reach from 0 to `window` - 1, less where the model was made for less. Fails with `unsupported-model` for another
    architecture: computing it in the wrong way would go unnoticed.
    """
    config = model.config
    if config.model_type != "llama" or config.hidden_act != "silu":
        raise TrainerFailure(
            "unsupported-model",
            f"Generation in PyTorch computes Llama models with SwiGLU, this is {config.model_type} with {config.hidden_act}. "
            "Use the llama.cpp engine.",
        )
    window = min(window, config.max_position_embeddings)
    decoder = model.model
    cosines, sines = decoder.rotary_emb(decoder.embed_tokens.weight[:1], torch.arange(window)[None])
    signed_sines = sines[0].clone()
    signed_sines[:, : signed_sines.shape[1] // 2].neg_()
    output = model.get_output_embeddings()
    return LlamaWeights(
        embedding=decoder.embed_tokens.weight.detach(),
        layers=[_layer(layer) for layer in decoder.layers],
        final_norm=decoder.norm.weight.detach(),
        vocabulary=_joined(output),
        cosines=cosines[0].contiguous(),
        signed_sines=signed_sines,
        query_heads=config.num_attention_heads,
        key_heads=config.num_key_value_heads,
        head_width=decoder.layers[0].self_attn.head_dim,
        norm_epsilon=config.rms_norm_eps,
    )


def _layer(layer: torch.nn.Module) -> LlamaLayer:
    attention, mlp = layer.self_attn, layer.mlp
    return LlamaLayer(
        attention_norm=layer.input_layernorm.weight.detach(),
        query_key_value=_joined(attention.q_proj, attention.k_proj, attention.v_proj),
        attention_output=_joined(attention.o_proj),
        mlp_norm=layer.post_attention_layernorm.weight.detach(),
        gate=_joined(mlp.gate_proj),
        up=_joined(mlp.up_proj),
        down=_joined(mlp.down_proj),
    )


def _joined(*parts: torch.nn.Linear) -> Linear:
    if len(parts) == 1:
        return Linear(parts[0].weight.detach(), None if parts[0].bias is None else parts[0].bias.detach())
    bias = None if parts[0].bias is None else torch.cat([part.bias.detach() for part in parts])
    return Linear(torch.cat([part.weight.detach() for part in parts]), bias)
