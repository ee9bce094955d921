import tempfile
import unittest
from pathlib import Path

import gguf
import numpy
import torch
from peft import LoraConfig, get_peft_model
from tiny_model import BLOCKS, HEADS, KEY_VALUE_HEADS, WIDTH, tiny_llama, write_tiny_gguf
from transformers.modeling_gguf_pytorch_utils import LlamaTensorProcessor

from coharness_trainer.adapter_gguf import gguf_tensors, permute_rows, write_adapter_gguf
from coharness_trainer.failure import TrainerFailure
from coharness_trainer.requantise import requantise


def random_adapter(seed: int = 3):
    torch.manual_seed(seed)
    model = get_peft_model(tiny_llama(), LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    return model


class PermutationTest(unittest.TestCase):
    def test_undoes_what_transformers_does_when_it_reads_a_gguf(self):
        weights = numpy.arange(64 * 3, dtype=numpy.float32).reshape(64, 3)
        for heads in (1, 2, 4, 8):
            back = LlamaTensorProcessor()._reverse_permute_weights(permute_rows(weights, heads), heads)
            numpy.testing.assert_array_equal(back, weights)

    def test_permuting_b_permutes_the_product(self):
        random = numpy.random.default_rng(0)
        b, a = random.normal(size=(WIDTH, 4)), random.normal(size=(4, WIDTH))
        numpy.testing.assert_allclose(permute_rows(b, HEADS) @ a, permute_rows(b @ a, HEADS))


class AdapterTest(unittest.TestCase):
    def test_adding_the_gguf_adapter_to_the_gguf_base_gives_the_merged_model(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tiny_gguf(folder / "base.gguf")
            adapted = random_adapter()
            adapted.save_pretrained(folder / "adapter")
            write_adapter_gguf(folder / "adapter", folder / "base.gguf", folder / "adapter.gguf")
            base = {tensor.name: tensor.data for tensor in gguf.GGUFReader(folder / "base.gguf").tensors}
            reader = gguf.GGUFReader(folder / "adapter.gguf")
            lora = {tensor.name: tensor.data for tensor in reader.tensors}
            self.assertEqual(reader.get_field("general.type").contents(), "adapter")
            self.assertEqual(reader.get_field("adapter.type").contents(), "lora")
            self.assertEqual(reader.get_field("adapter.lora.alpha").contents(), 8.0)
            self.assertEqual(len(lora), BLOCKS * 7 * 2)

            merged = adapted.merge_and_unload().state_dict()
            names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, BLOCKS)
            for key, weights in merged.items():
                target = f"{names.get_name(key.removesuffix('.weight'))}.weight"
                if f"{target}.lora_a" not in lora:
                    continue
                expected = weights.numpy()
                if ".attn_q." in target or ".attn_k." in target:
                    expected = permute_rows(expected, HEADS if ".attn_q." in target else KEY_VALUE_HEADS)
                actual = base[target] + 8 / 4 * lora[f"{target}.lora_b"] @ lora[f"{target}.lora_a"]
                numpy.testing.assert_allclose(actual, expected, atol=1e-5, err_msg=target)

    def test_the_same_adapter_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tiny_gguf(folder / "base.gguf")
            random_adapter().save_pretrained(folder / "adapter")
            for copy in ("one.gguf", "two.gguf"):
                write_adapter_gguf(folder / "adapter", folder / "base.gguf", folder / copy)
            self.assertEqual((folder / "one.gguf").read_bytes(), (folder / "two.gguf").read_bytes())
            self.assertEqual(list(folder.glob("*.partial")), [])

    def test_refuses_an_architecture_or_tensor_whose_form_it_does_not_know(self):
        tensor = numpy.zeros((4, 4), dtype=numpy.float32)
        for architecture, key in (
            ("mamba", "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"),
            ("llama", "base_model.model.model.layers.0.strange.lora_A.weight"),
            ("llama", "base_model.model.model.layers.0.self_attn.q_proj.bias"),
        ):
            with self.assertRaises(TrainerFailure) as raised:
                gguf_tensors({key: tensor}, architecture, BLOCKS, HEADS, KEY_VALUE_HEADS)
            self.assertEqual(raised.exception.code, "unsupported-adapter")


class RequantiseTest(unittest.TestCase):
    def test_keeps_names_shapes_and_settings_and_comes_close_to_the_numbers(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tiny_gguf(folder / "base.gguf")
            before = gguf.GGUFReader(folder / "base.gguf")
            for format_name, tolerance in (("F16", 1e-3), ("Q8_0", 1e-2)):
                requantise(folder / "base.gguf", folder / "again.gguf", format_name)
                after = gguf.GGUFReader(folder / "again.gguf")
                self.assertEqual(after.get_field("llama.block_count").contents(), BLOCKS)
                self.assertEqual(
                    after.get_field("tokenizer.ggml.tokens").contents(), before.get_field("tokenizer.ggml.tokens").contents()
                )
                for old, new in zip(before.tensors, after.tensors):
                    self.assertEqual((old.name, list(old.shape)), (new.name, list(new.shape)))
                    numpy.testing.assert_allclose(
                        gguf.quants.dequantize(new.data, new.tensor_type), old.data.reshape(old.data.shape), atol=tolerance
                    )

    def test_refuses_an_unknown_format_and_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tiny_gguf(folder / "base.gguf")
            with self.assertRaises(ValueError):
                requantise(folder / "base.gguf", folder / "again.gguf", "Q9")
            (folder / "cut.gguf").write_bytes((folder / "base.gguf").read_bytes()[:5000])
            with self.assertRaises((OSError, ValueError, IndexError)):
                requantise(folder / "cut.gguf", folder / "again.gguf", "Q8_0")
            self.assertEqual(sorted(path.name for path in folder.iterdir()), ["base.gguf", "cut.gguf"])


if __name__ == "__main__":
    unittest.main()
