// SPDX-License-Identifier: Apache-2.0
// The lowering functions of strings and sound, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TEXT_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TEXT_LOWERINGS_H_

#include <string>
#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// strings.cc
// One text, of rank 0.
Value* TextConstant(Call& c, std::string text);
Value* LowerCase(Call& c);
Value* LowerStringStrip(Call& c);
Value* LowerRegexReplace(Call& c);
Value* LowerRegexFullMatch(Call& c);
Value* LowerStringLength(Call& c);
Value* LowerSubstr(Call& c);
Value* LowerStringJoin(Call& c);
Value* LowerHashBucket(Call& c);
Value* LowerStringToNumber(Call& c);
Value* LowerAsString(Call& c);
Value* LowerEncodeBase64(Call& c);
std::vector<Value*> LowerStringSplit(Call& c);
std::vector<Value*> LowerStringSplitV2(Call& c);
Value* LowerReduceJoin(Call& c);
std::vector<Abstract> LowerStringFormat(Call& c);

// unicode.cc
std::vector<Value*> LowerUnicodeDecode(Call& c);
Value* LowerUnicodeEncode(Call& c);
Value* LowerUnicodeTranscode(Call& c);

// ngrams.cc
std::vector<Value*> LowerStringNGrams(Call& c);

// examples.cc
std::vector<Value*> LowerParseExample(Call& c);
std::vector<Value*> LowerParseExampleV2(Call& c);
std::vector<Value*> LowerParseSingleExample(Call& c);

// encoded.cc
Value* LowerDecodeRaw(Call& c);
Value* LowerDecodePaddedRaw(Call& c);

// audio.cc
Value* LowerAudioSpectrogram(Call& c);
Value* LowerMfcc(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TEXT_LOWERINGS_H_
