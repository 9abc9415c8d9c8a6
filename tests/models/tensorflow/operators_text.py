# SPDX-License-Identifier: Apache-2.0
"""Strings and tables."""

import re

import numpy as np

from operator_cases import G, f32, i32, save, text_case, type_name, words


def make_tables():
    """Keys of a vocabulary to numbers, and numbers to words."""
    for kind, keys, values, asked, other in (
            ("words", np.array([b"a", b"bc", b"d"], object), np.array([5, 0, 7], np.int64),
             np.array([[b"bc", b"x"], [b"d", b"a"]], object), np.int64(-1)),
            ("numbers", np.array([3, -2, 9], np.int64), f32(3), np.array([9, 3, 4, -2]),
             np.float32(0.5)),
            ("places", np.arange(3, dtype=np.int64), np.array([b"x", b"y", b"z"], object),
             np.array([2, 0, 3, -1]), np.array(b"?", object))):
        graph = G()
        types = {"key_dtype": "dt:" + type_name(keys), "value_dtype": "dt:" + type_name(values)}
        table = graph.op("HashTableV2", name="table", **types)
        graph.op("LookupTableImportV2", table, graph.const(keys, name="keys"),
                 graph.const(values, name="values"), name="fill",
                 Tin=types["key_dtype"], Tout=types["value_dtype"])
        graph.ph("x", type_name(asked), asked.shape)
        graph.op("LookupTableFindV2", table, "x", graph.const(other, name="other"), name="y",
                 Tin=types["key_dtype"], Tout=types["value_dtype"])
        found = dict(zip(keys.tolist(), values.tolist()))
        wanted = np.array([found.get(key, other.item()) for key in asked.reshape(-1).tolist()])
        wanted = wanted.astype(values.dtype if values.dtype != object else "S").reshape(asked.shape)
        feeds = {"x": asked.astype("S") if asked.dtype == object else asked}
        save(f"table_{kind}", graph, feeds, ["y"], [wanted], oracle=False)


def make_text():
    x = words("Hello, World!", "", " aB1 \t", "Gr\u00dc\u00df 3 4")
    text = [value.decode() for value in x]
    text_case("string_lower", "StringLower", [x], [words(
        "hello, world!", "", " ab1 \t", "gr\u00dc\u00df 3 4").astype("S")])
    text_case("string_upper", "StringUpper", [x], [words(
        "HELLO, WORLD!", "", " AB1 \t", "GR\u00dc\u00df 3 4").astype("S")])
    text_case("string_strip", "StringStrip", [x], [words(*(t.strip() for t in text)).astype("S")])
    for number, (pattern, rewrite) in enumerate(((r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']", ""),
                                                 (r"(\w)(\d| )", r"<\2\1>"))):
        wanted = [re.sub(pattern, rewrite, t, flags=re.ASCII) for t in text]
        text_case(f"static_regex_replace_{number}", "StaticRegexReplace", [x],
                  [words(*wanted).astype("S")], pattern=pattern, rewrite=rewrite)
    text_case("regex_replace_first", "RegexReplace",
              [x, (np.array(b"[lo]+", object),), (np.array(b"_", object),)],
              [words(*(re.sub("[lo]+", "_", t, count=1) for t in text)).astype("S")],
              replace_global=False)
    text_case("regex_full_match", "StaticRegexFullMatch", [x],
              [np.array([bool(re.fullmatch(r"\s*\w*\s*", t, re.ASCII)) for t in text])],
              pattern=r"\s*\w*\s*")
    for unit in ("BYTE", "UTF8_CHAR"):
        lengths = [len(t) if unit == "UTF8_CHAR" else len(t.encode()) for t in text]
        text_case(f"string_length_{unit}", "StringLength", [x], [np.array(lengths, np.int32)], unit=unit)
        start, size = i32(1, 0, -3, 2), i32(3, 5, 2, 2)
        pieces = []
        for t, s, n in zip(text, start, size):
            whole = t if unit == "UTF8_CHAR" else t.encode()
            s = s + len(whole) if s < 0 else s
            piece = whole[s:s + n]
            pieces.append(piece.encode() if unit == "UTF8_CHAR" else piece)
        text_case(f"substr_{unit}", "Substr", [x, (start,), (size,)], [np.array(pieces, "S")],
                  unit=unit, T="dt:int32")
    joined = np.array([[f"{a}-{b}" for b in ("x", "yz")] for a in ("p", "")], "S")
    text_case("string_join", "StringJoin",
              [words("p", "").reshape(2, 1), words("x", "yz")], [joined], N=2, separator="-")
    # As Keras' documentation of Hashing and TensorFlow's of to_hash_bucket_* print them.
    letters = words("A", "B", "C", "D", "E")
    for name, op, key, wanted in (("fast", "Fast", None, i32(1, 0, 1, 1, 2)),
                                  ("strong", "Strong", [133, 137], i32(1, 2, 1, 0, 2))):
        attributes = {"num_buckets": 3, **({"key": key} if key else {})}
        text_case(f"hash_bucket_{name}", f"StringToHashBucket{op}", [letters],
                  [wanted.astype(np.int64)], **attributes)
    rows = words(" the  quick fox ", "", "jumps")
    pieces = [row.decode().split() for row in rows]
    for name, op, separator, pieces, attributes in (
            ("space", "StringSplitV2", "", pieces, {"maxsplit": -1}),
            ("separator", "StringSplitV2", "u", [row.decode().split("u") for row in rows], {}),
            ("most", "StringSplitV2", " ", [row.decode().split(" ", 2) for row in rows],
             {"maxsplit": 2}),
            ("bytes", "StringSplit", "ui", [re.split("[ui]", row.decode()) for row in rows],
             {"skip_empty": False}),
            ("bytes_skip", "StringSplit", " t", [
                [p for p in re.split("[ t]", row.decode()) if p] for row in rows],
             {"skip_empty": True})):
        indices = [(i, j) for i, row in enumerate(pieces) for j in range(len(row))]
        values = words(*(piece for row in pieces for piece in row)).astype("S")
        most = max(len(row) for row in pieces)
        text_case(f"string_split_{name}", op, [rows, (np.array(separator.encode(), object),)],
                  [np.array(indices, np.int64), values, np.array([3, most])], 3, **attributes)
    numbers = words("12", "-3.5", "1e3")
    text_case("string_to_number", "StringToNumber", [numbers],
              [np.array([12, -3.5, 1000], np.float32)], out_type="dt:float")
    text_case("as_string", "AsString", [i32(12, -7, 0)], [np.array([b"12", b"-7", b"0"])], T="dt:int32")


def make_joined_text():
    a = words("a", "b", "c", "d").reshape(2, 2)
    for name, axes, separator, wanted in (("rows", [1], ".", ["a.b", "c.d"]), ("down", [-2], "", ["ac", "bd"]),
                                          ("all", [0, 1], "", "acbd")):
        text_case(f"reduce_join_{name}", "ReduceJoin", [a, (i32(*axes),)], [np.array(wanted, "S")],
                  separator=separator)
    text_case("reduce_join_kept", "ReduceJoin", [a, (i32(0),)], [np.array([["ac", "bd"]], "S")],
              keep_dims=True)
    text_case("unsorted_segment_join", "UnsortedSegmentJoin",
              [words("a", "b", "c", "", "e", "f"), i32(2, 0, 2, -1, 0, 2), (np.int32(4),)],
              [np.array(["b+e", "", "a+c+f", ""], "S")], separator="+", Tindices="dt:int32",
              Tnumsegments="dt:int32")
    text_case("string_format", "StringFormat", [i32(12)[0], i32(-7)[0]], [np.array("12 of -7!", "S")],
              T=["dt:int32", "dt:int32"], template="{} of {}!", placeholder="{}")
    rows = [["the", "quick", "fox"], [], ["jumps"], ["over", "it"]]
    splits = np.cumsum([0] + [len(row) for row in rows])
    for widths in ([2], [1, 2], [3, 1]):
        grams = [[" ".join(row[i:i + width]) for width in widths for i in range(len(row) - width + 1)]
                 for row in rows]
        text_case(f"string_ngrams_{'_'.join(map(str, widths))}", "StringNGrams",
                  [words(*sum(rows, [])), splits], [words(*sum(grams, [])).astype("S"),
                                                    np.cumsum([0] + [len(row) for row in grams])], 2,
                  separator=" ", ngram_widths=widths, left_pad="", right_pad="", pad_width=0,
                  preserve_short_sequences=False, Tsplits="dt:int64")


def make_vectorization():
    """What Keras' TextVectorization saves: standardise, split, look up, and pad."""
    graph = G()
    x = words("Hello big, World", "", "the world! the end of the big world")
    graph.ph("x", "string", x.shape)
    plain = graph.op("StaticRegexReplace", graph.op("StringLower", "x", name="lower"), name="plain",
                     pattern=r"[!,\.\?]", rewrite="")
    split = graph.op("StringSplitV2", plain, graph.const(np.array(b"", object), name="space"),
                     name="split", maxsplit=-1)
    vocabulary = ["the", "world", "big", "hello"]
    table = graph.op("HashTableV2", name="table", key_dtype="dt:string", value_dtype="dt:int64")
    graph.op("LookupTableImportV2", table, graph.const(words(*vocabulary), name="keys"),
             graph.const(np.arange(2, 6), name="values"), name="fill", Tin="dt:string", Tout="dt:int64")
    graph.op("LookupTableFindV2", table, f"{split}:1", graph.const(np.int64(1), name="unknown"),
             name="found", Tin="dt:string", Tout="dt:int64")
    at = [graph.const(i32(*v), name=f"at{i}") for i, v in enumerate(((0, 0), (0, 1), (1, 1), (0,), (1,)))]
    graph.op("StridedSlice", split, at[0], at[1], at[2], name="rows", begin_mask=1, end_mask=1,
             shrink_axis_mask=2, T="dt:int64", Index="dt:int32")
    graph.op("StridedSlice", f"{split}:2", at[3], at[4], at[4], name="count", shrink_axis_mask=1,
             T="dt:int64", Index="dt:int32")
    for width in (-1, 4):
        graph.op("RaggedTensorToTensor", graph.const(np.array([-1, width]), name=f"sizes{width}"),
                 "found", graph.const(np.int64(0), name=f"zero{width}"), "count", "rows",
                 name=f"y{width}", T="dt:int64", Tindex="dt:int64", Tshape="dt:int64",
                 num_row_partition_tensors=2, row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    wanted = np.zeros((3, 8), np.int64)
    for row, text in zip(wanted, x):
        for i, word in enumerate(re.sub("[!,]", "", text.decode().lower()).split()):
            row[i] = vocabulary.index(word) + 2 if word in vocabulary else 1
    save("text_vectorization", graph, {"x": x.astype("S")}, ["y-1", "y4"], [wanted, wanted[:, :4]],
         oracle=False, onnx=False)


def make_unicode():
    """Numbers of characters: what keras.layers.TextVectorization(split="character") asks for."""
    x = words("a\u00dc\u20ac", "", "\U0001f600 \t")
    text = [value.decode() for value in x]
    codes = np.array([ord(character) for t in text for character in t], np.int32)
    splits = np.cumsum([0] + [len(t) for t in text])
    starts = np.array([len(t[:i].encode()) for t in text for i in range(len(t))])
    decoding = {"input_encoding": "UTF-8", "errors": "replace", "replacement_char": 65533,
                "replace_control_characters": False, "Tsplits": "dt:int64"}
    text_case("unicode_decode", "UnicodeDecode", [x], [splits, codes], results=2, **decoding)
    text_case("unicode_offsets", "UnicodeDecodeWithOffsets", [x], [splits, codes, starts], results=3,
              **decoding)
    text_case("unicode_encode", "UnicodeEncode", [codes, splits], [x.astype("S")],
              output_encoding="UTF-8", errors="replace", replacement_char=65533, Tsplits="dt:int64")
    text_case("unicode_transcode", "UnicodeTranscode", [x],
              [words("a\u00dc\u20ac", "", "\U0001f600 \t").astype("S")], input_encoding="UTF-8",
              output_encoding="UTF-8", errors="replace", replacement_char=65533,
              replace_control_characters=True)


def cross(name, op, columns, dense, wanted, **attributes):
    """columns: texts or integers of each row, as sparse tensors; wanted: what each row has."""
    g, feeds, parts, kinds = G(), {}, ([], [], []), []
    for i, rows in enumerate(columns):
        flat = [value for row in rows for value in row]
        places = np.array([(at, k) for at, row in enumerate(rows) for k in range(len(row))])
        values = words(*flat).astype("S") if isinstance(flat[0], str) else np.array(flat)
        for names, kind, array in zip(parts, "ivs", (places, values, np.array([len(rows), 9]))):
            feeds[f"{kind}{i}"] = array
            dtype = "string" if array.dtype.kind == "S" else "int64"
            names.append(g.ph(f"{kind}{i}", dtype, array.shape))
        kinds.append("dt:string" if values.dtype.kind == "S" else "dt:int64")
    feeds["dense"] = np.array(dense)
    ends = [g.ph("dense", "int64", feeds["dense"].shape)] + attributes.pop("ends", [])
    names = [name for group in parts for name in group]
    ends = [end if isinstance(end, str) else g.const(end) for end in ends]
    g.op(op, *names, *ends, name="y", N=len(columns), sparse_types=kinds, dense_types=["dt:int64"],
         **attributes)
    places = np.array([(at, k) for at, row in enumerate(wanted) for k in range(len(row))])
    flat = [value for row in wanted for value in row]
    values = words(*flat) if isinstance(flat[0], str) else np.array(flat)
    save(name, g, feeds, ["y", "y:1", "y:2"],
         [places, values, np.array([len(wanted), max(map(len, wanted))])], oracle=False, onnx=False)


def joined_hash(a, b):
    """TensorFlow's FingerprintCat64."""
    factor, low = 0xc6a4a7935bd1e995, 2**64 - 1
    b = b * factor & low
    a = (a ^ factor ^ (b ^ b >> 47) * factor & low) * factor & low
    a = (a ^ a >> 47) * factor & low
    return a ^ a >> 47


def make_crosses():
    texts, numbers = [["a", "b"], [], ["c"]], [[5], [6], [-7, 8]]
    dense = np.array([[1, 2], [3, 4], [5, 6]])
    crosses = [[(text, number, last) for text in row for number in column for last in end]
               for row, column, end in zip(texts, numbers, dense)]
    cross("sparse_cross", "SparseCross", [texts, numbers], dense,
          [["_X_".join(map(str, each)) for each in row] for row in crosses], hashed_output=False,
          num_buckets=0, hash_key=0, out_type="dt:string", internal_type="dt:string")
    cross("sparse_cross_separated", "SparseCrossV2", [texts, numbers], dense,
          [["-".join(map(str, each)) for each in row] for row in crosses], ends=[np.array(b"-", object)])
    key = 0xdecafcaffe
    hashes = []
    for column, end in zip(numbers, dense):
        hashes.append([joined_hash(joined_hash(key, number % 2**64), int(last)) % 1000
                       for number in column for last in end])
    cross("sparse_cross_of_integers", "SparseCross", [numbers], dense, hashes, hashed_output=True,
          num_buckets=1000, hash_key=key, out_type="dt:int64", internal_type="dt:int64")


def make_recorded_cross():
    """What TensorFlow's own test of SparseCross expects of three texts."""
    g, feeds, names = G(), {}, []
    texts = [words(f"batch1-FC{i}-F1").astype("S") for i in (1, 2, 3)]
    for kind, dtype, arrays in (("i", "int64", 3 * [np.array([[0, 0]])]), ("v", "string", texts),
                                ("s", "int64", 3 * [np.array([1, 1])])):
        for i, array in enumerate(arrays):
            feeds[f"{kind}{i}"] = array
            names.append(g.ph(f"{kind}{i}", dtype, array.shape))
    fetches, wanted = [], []
    for buckets, key, hashed in ((0, 0, 1971693436396284976), (100, 0, 83), (0, 1, 4847552627144134031)):
        y = g.op("SparseCross", *names, N=3, hashed_output=True, num_buckets=buckets,
                 hash_key=0xdecafcaffe + key, sparse_types=3 * ["dt:string"], dense_types=[],
                 out_type="dt:int64", internal_type="dt:string")
        fetches.append(f"{y}:1")
        wanted.append(np.array([hashed]))
    for buckets, salt, hashed in ((0, [1, 1], 9186962005966787372), (100, [137, 173], 79)):
        y = g.op("SparseCrossHashed", *names, g.const(np.int64(buckets)), g.const(np.array(False)),
                 g.const(np.array(salt)), N=3, sparse_types=3 * ["dt:string"], dense_types=[])
        fetches.append(f"{y}:1")
        wanted.append(np.array([hashed]))
    save("sparse_cross_of_texts", g, feeds, fetches, wanted, oracle=False, onnx=False)


def make_letter_cases():
    x = words("Ünï CODÉ", "straße", "\u0416\u0438 \u65e5\u672c", "", "\u0393\u0395\u0399\u0391 7")
    plain = words("Ünï CODÉ", "strasse", "\u01c6\u00ff")
    for name, operand, change in (("Lower", x, str.lower), ("Upper", plain, str.upper)):
        wanted = np.array([change(text.decode()).encode() for text in operand])
        text_case(f"string_{name.lower()}_utf8", f"String{name}", [operand], [wanted],
                  encoding="utf-8")


def first_hash(text):
    """TensorFlow's Hash64, with the seed that it has for texts."""
    factor, low = 0xc6a4a7935bd1e995, 2**64 - 1
    hashed = 0xdecafcaffe ^ len(text) * factor & low
    whole = len(text) // 8 * 8
    for at in range(0, whole, 8):
        part = int.from_bytes(text[at:at + 8], "little") * factor & low
        part = (part ^ part >> 47) * factor & low
        hashed = (hashed ^ part) * factor & low
    if text[whole:]:
        hashed = (hashed ^ int.from_bytes(text[whole:], "little")) * factor & low
    hashed = (hashed ^ hashed >> 47) * factor & low
    return hashed ^ hashed >> 47


def make_matches():
    texts = words("", "a", "eight by", "more than eight bytes", "\u00dc\u20ac", "1234567")
    text_case("hash_bucket_first", "StringToHashBucket", [texts],
              [np.array([first_hash(text) % 1000 for text in texts])], num_buckets=1000)
    x = words("abc", "abcd", "", "b")
    for pattern in ("[abc]*", "b?"):
        wanted = np.array([bool(re.fullmatch(pattern, text.decode())) for text in x])
        text_case(f"regex_full_match_of_{len(pattern)}", "RegexFullMatch",
                  [x, (np.array(pattern.encode(), object),)], [wanted])
