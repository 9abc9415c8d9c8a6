# SPDX-License-Identifier: Apache-2.0
"""Architectures of torchvision, timm and transformers, small and with random weights; in some
forms with open sizes, at three sizes, a batch of 1 among them."""

import timm
import torch
import torchvision
import transformers
from torch import nn

from producers import torch_forms
from producers.torch_forms import DECOMPOSED, DYNAMO, LEGACY, PT2, SCRIPTED, TRACED
from shared.produce import serve_producer

FORMS = (PT2, DECOMPOSED, TRACED, DYNAMO, LEGACY)
OPEN_FORMS = (PT2, DYNAMO, TRACED)

TORCHVISION = {name: 64 for name in (
    "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "mnasnet0_5",
    "mobilenet_v2", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_400mf", "resnet18",
    "resnext50_32x4d", "shufflenet_v2_x0_5", "squeezenet1_1", "vgg11_bn", "swin_t", "swin_v2_t")}
TORCHVISION |= {"googlenet": 75, "inception_v3": 91, "maxvit_t": 224, "vit_b_32": 224}
SEGMENTATION = ("lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "fcn_resnet50")
VIDEO = ("r3d_18", "mc3_18", "r2plus1d_18")
DETECTION = ("ssdlite320_mobilenet_v3_large", "ssd300_vgg16", "retinanet_resnet50_fpn",
             "fasterrcnn_mobilenet_v3_large_320_fpn", "maskrcnn_resnet50_fpn",
             "keypointrcnn_resnet50_fpn", "fcos_resnet50_fpn")
TIMM = ("test_byobnet", "test_convnext", "test_convnext2", "test_convnext3", "test_efficientnet",
        "test_efficientnet_evos", "test_efficientnet_gn", "test_efficientnet_ln", "test_mambaout",
        "test_nfnet", "test_resnet", "test_vit", "test_vit2", "test_vit3", "test_vit4",
        "ghostnet_050", "lcnet_050", "mobilenetv4_conv_small_050", "efficientvit_m0", "fastvit_t8",
        "mobileone_s0", "repvgg_a0", "resnetv2_18", "rexnetr_100", "tinynet_e", "levit_128s",
        "poolformer_s12", "edgenext_xx_small", "mixer_s32_224", "gmlp_s16_224", "cait_xxs24_224",
        "xcit_nano_12_p16_224", "pvt_v2_b0", "mobilevit_xxs", "crossvit_tiny_240",
        "hgnetv2_b0", "inception_next_atto", "starnet_s050", "tiny_vit_5m_224")

# What most configurations of transformers understand; others ignore what they do not know.
SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=40, vocab_size=99, max_position_embeddings=64, head_dim=8,
             pad_token_id=0, bos_token_id=1, eos_token_id=2, use_cache=False, dropout=0.0)
VISION = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40,
              image_size=32, patch_size=8)
TEXT_MODELS = {
    "albert": dict(embedding_size=16), "bert": {}, "bert-generation": {}, "biogpt": {}, "bloom": {},
    "camembert": {}, "codegen": dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4),
    "cohere": {}, "convbert": dict(embedding_size=16), "data2vec-text": {},
    "deberta": {}, "deberta-v2": {},
    "distilbert": dict(dim=32, n_layers=2, n_heads=4, hidden_dim=40),
    "electra": dict(embedding_size=16), "ernie": {}, "esm": {}, "falcon": {}, "fnet": {},
    "gemma": {}, "gemma2": dict(query_pre_attn_scalar=8), "gemma3_text": {}, "glm": {},
    "gpt2": dict(n_embd=32, n_layer=2, n_head=4),
    "gpt_bigcode": dict(n_embd=32, n_layer=2, n_head=4),
    "gpt_neo": dict(num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]]),
    "gpt_neox": {}, "gptj": dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4), "granite": {},
    "ibert": {}, "layoutlm": {}, "llama": {}, "mamba": dict(state_size=4), "mistral": {},
    "mixtral": dict(num_local_experts=4), "mobilebert": dict(
        embedding_size=16, intra_bottleneck_size=32, num_attention_heads=4, true_hidden_size=32),
    "modernbert": dict(pad_token_id=0, cls_token_id=1, sep_token_id=2), "mpnet": {}, "mpt": dict(
        d_model=32, n_heads=4, n_layers=2), "nystromformer": {}, "olmo2": {}, "openai-gpt": dict(
        n_embd=32, n_layer=2, n_head=4), "opt": dict(ffn_dim=40, word_embed_proj_dim=32),
    "persimmon": {}, "phi": {}, "phi3": {}, "qwen2": {}, "qwen3": {}, "rembert": dict(
        input_embedding_size=16, output_embedding_size=16), "roberta": {}, "roformer": dict(
        embedding_size=32), "smollm3": {}, "squeezebert": {}, "stablelm": {}, "starcoder2": {},
    "xglm": dict(d_model=32, ffn_dim=40, attention_heads=4, num_layers=2), "xlm-roberta": {},
}
VISION_MODELS = {
    "beit": {}, "convnext": dict(hidden_sizes=[8, 12, 16, 20], depths=[1, 1, 2, 1]),
    "convnextv2": dict(hidden_sizes=[8, 12, 16, 20], depths=[1, 1, 2, 1]), "deit": {},
    "dinov2": {}, "ijepa": {}, "mobilevit": dict(
        hidden_sizes=[16, 20, 24], neck_hidden_sizes=[8, 8, 16, 16, 20, 20, 24]),
    "poolformer": dict(hidden_sizes=[8, 12, 16, 20], depths=[1, 1, 1, 1]),
    "pvt": dict(image_size=64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                num_attention_heads=[1, 2, 3, 4]),
    "regnet": dict(embedding_size=8, hidden_sizes=[8, 12, 16, 24], depths=[1, 1, 1, 1],
                   groups_width=4),
    "resnet": dict(embedding_size=8, hidden_sizes=[8, 12, 16, 24], depths=[1, 1, 1, 1]),
    "segformer": dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                      num_attention_heads=[1, 2, 3, 4]),
    "swin": dict(embed_dim=12, depths=[2, 2], num_heads=[2, 3], window_size=2, patch_size=4),
    "vit": {}, "vit_mae": {},
}


def tokens(length):
    return lambda batch: torch.randint(3, 99, (batch, length))


def numbers(*sizes):
    return lambda batch: torch.randn(batch, *sizes)


ENCODER_DECODER = dict(
    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=40, decoder_ffn_dim=40, vocab_size=99, pad_token_id=0,
    bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False,
    max_position_embeddings=64)
SPOKEN = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40,
              conv_dim=[16, 16], conv_kernel=[10, 3], conv_stride=[5, 2], num_feat_extract_layers=2,
              num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2, vocab_size=32)
TRANSLATED = {"input_ids": tokens(9), "decoder_input_ids": tokens(7)}
OTHER_MODELS = {
    "bart": dict(config=ENCODER_DECODER, inputs=TRANSLATED),
    "clip": dict(config=dict(
        projection_dim=16, text_config=SMALL | dict(eos_token_id=98, head_dim=None),
        vision_config=VISION), inputs={"input_ids": tokens(9), "pixel_values": numbers(3, 32, 32)}),
    "hubert": dict(config=SPOKEN, inputs={"input_values": numbers(1600)}),
    "marian": dict(config=ENCODER_DECODER, inputs=TRANSLATED),
    "siglip": dict(config=dict(text_config=SMALL, vision_config=VISION), inputs={
        "input_ids": tokens(9), "pixel_values": numbers(3, 32, 32)}),
    "t5": dict(config=dict(d_model=32, d_kv=8, d_ff=40, num_layers=2, num_heads=4, vocab_size=99,
                           use_cache=False), inputs=TRANSLATED),
    "wav2vec2": dict(config=SPOKEN, inputs={"input_values": numbers(1600)}),
    "whisper": dict(config=ENCODER_DECODER | dict(
        num_mel_bins=8, max_source_positions=20, max_target_positions=20), inputs={
            "input_features": numbers(8, 40), "decoder_input_ids": tokens(7)}),
}


class Plain(nn.Module):
    """A model whose result is its tensors, without what its framework wraps them in."""

    def __init__(self, model, *names):
        super().__init__()
        self.model = model
        scope = {}
        passed = ", ".join(f"{name}={name}" for name in names)
        exec(f"def forward(self, {', '.join(names)}): return self.plain(dict({passed}))", scope)
        self.forward = scope["forward"].__get__(self)

    def plain(self, inputs):
        if list(inputs) == ["x"]:
            result = self.model(inputs["x"])
        else:
            result = self.model(**inputs)
        if hasattr(result, "to_tuple"):
            result = result.to_tuple()
        return tuple(torch_forms.flat(result))


def images(model, batches, size, channels=3, name="x"):
    draws = [{name: torch.randn(batch, channels, size, size)} for batch in batches]
    return Plain(model, name), draws, [(name, 0)] if len(batches) > 1 else ()


def vision(construct, size, batches):
    return lambda: images(construct(), batches, size)


def video(name, batches):
    def make():
        model = getattr(torchvision.models.video, name)(weights=None)
        draws = [{"x": torch.randn(batch, 3, 4, 32, 40)} for batch in batches]
        return Plain(model, "x"), draws, [("x", 0)] if len(batches) > 1 else ()
    return make


class Detector(nn.Module):
    """A detector as it is scripted: with a list of images of any size."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        images = [x[0], x[1, :, :60, :80]]
        # Scripted, it gives the losses as well.
        if torch.jit.is_scripting():
            _, found = self.model(images)
        else:
            found = self.model(images)
        # The likeliest ones: what is almost as likely as another may change places with it.
        first, second = found[0], found[1]
        return first["boxes"][:9], first["scores"][:9], second["boxes"][:9], second["labels"][:9]


def detector(name):
    def make():
        settings = {} if name.startswith("ssd") else {"min_size": 96, "max_size": 128}
        # Weights that are not trained find nothing that is likely.
        if not name.startswith("ssd"):
            word = "box_score_thresh" if "rcnn" in name else "score_thresh"
            settings[word] = 1e-3
        model = getattr(torchvision.models.detection, name)(
            weights=None, weights_backbone=None, num_classes=5, **settings)
        # As they are made, the small ones compute the same score everywhere.
        for weight in model.parameters():
            if weight.dim() > 1:
                nn.init.kaiming_normal_(weight)
        return Detector(model), [{"x": torch.rand(2, 3, 96, 96)}], ()
    return make


def configured(kind, settings, attention):
    """A model; eager `attention` is written by formulas, sdpa calls torch's own where it can."""
    config = transformers.AutoConfig.for_model(kind, **settings)
    try:
        return transformers.AutoModel.from_config(config, attn_implementation=attention)
    except ValueError:  # it has no other
        return transformers.AutoModel.from_config(config, attn_implementation="eager")


def text(kind, settings, sizes, attention):
    def make():
        model = configured(kind, SMALL | settings, attention)
        draws = []
        for batch, length in sizes:
            mask = torch.ones(batch, length, dtype=torch.int64)
            mask[-1, length - 2:] = 0 if batch > 1 else 1
            draws.append({"input_ids": torch.randint(3, 99, (batch, length)),
                          "attention_mask": mask})
        axes = [(name, axis) for name in draws[0] for axis in (0, 1)] if len(sizes) > 1 else ()
        if kind in ("fnet", "mamba"):  # take no mask
            draws = [{"input_ids": draw["input_ids"]} for draw in draws]
            axes = [axis for axis in axes if axis[0] == "input_ids"]
        return Plain(model, *draws[0]), draws, axes
    return make


def picture(kind, settings, batches, attention):
    def make():
        settings_ = VISION | settings
        return images(configured(kind, settings_, attention), batches, settings_["image_size"],
                      name="pixel_values")
    return make


def several(kind, settings, batches, attention):
    """An architecture that takes more than text or an image; its sizes are fixed."""
    def make():
        model = configured(kind, settings["config"], attention)
        draws = [{name: draw(batch) for name, draw in settings["inputs"].items()}
                 for batch in batches]
        return Plain(model, *draws[0]), draws, ()
    return make


def programs(batches, prefix="", attention="eager"):
    """All architectures; those of text have as many lengths as batches."""
    sizes = [(batch, length) for batch, length in zip(batches, (9, 5, 12))]
    named = {}
    for name, size in TORCHVISION.items():
        named[f"torchvision.{name}"] = vision(
            lambda name=name: torchvision.models.get_model(name, weights=None, num_classes=11),
            size, batches)
    for name in SEGMENTATION:
        named[f"torchvision.{name}"] = vision(
            lambda name=name: torchvision.models.get_model(
                name, weights=None, weights_backbone=None, num_classes=5), 65, batches)
    named |= {f"torchvision.{name}": video(name, batches) for name in VIDEO}
    for name in TIMM:
        size = timm.get_pretrained_cfg(name)
        size = 224 if size is None or not name.startswith("test_") else size.input_size[-1]
        named[f"timm.{name}"] = vision(
            lambda name=name: timm.create_model(name, pretrained=False, num_classes=11), size,
            batches)
    named |= {f"transformers.{name}": text(name, settings, sizes, attention)
              for name, settings in TEXT_MODELS.items()}
    named |= {f"transformers.{name}": picture(name, settings, batches, attention)
              for name, settings in VISION_MODELS.items()}
    if len(batches) == 1:
        named |= {f"transformers.{name}": several(name, settings, batches, attention)
                  for name, settings in OTHER_MODELS.items()}
    return {name + prefix: make for name, make in named.items()}


def cases():
    detectors = {f"torchvision.{name}": detector(name) for name in DETECTION}
    return (torch_forms.cases_of(FORMS, programs((2,))) |
            torch_forms.cases_of(OPEN_FORMS, programs((2, 1, 3), ", open sizes")) |
            torch_forms.cases_of((SCRIPTED,), detectors))


if __name__ == "__main__":
    serve_producer(cases(), f"PyTorch {torch.__version__}, torchvision {torchvision.__version__}, "
                   f"timm {timm.__version__}, transformers {transformers.__version__}",
                   torch_forms.load)
