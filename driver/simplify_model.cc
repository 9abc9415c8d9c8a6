// SPDX-License-Identifier: Apache-2.0
#include "driver/simplify_model.h"

#include <string>
#include <utility>
#include <vector>

#include "driver/verify_model.h"

namespace dragoman {

Result<Model> SimplifyModel(const Session& session, const Model& source,
                            const SimplifyOptions& options) {
  DRAGOMAN_ASSIGN(Model simple, session.ToCommon(source, options.lowering));
  if (options.check == 0) return simple;
  VerifyRequest request;
  request.run.facts = options.lowering.facts;
  request.random = options.check;
  request.seed = options.seed;
  const Result<std::vector<Verification>> verifications =
      VerifyAgainstModel(session.WithoutRules(), source, simple, "", request);
  if (!verifications.ok()) {
    DRAGOMAN_TRY(
        session.Warn({ErrorKind::kUnsupported,
                      {},
                      {},
                      "not checked on random inputs: " + verifications.error().ToString()}));
    return simple;
  }
  for (const Verification& verification : *verifications) {
    for (const OutputComparison& output : verification.outputs) {
      if (!output.ok) return Internal("the passes changed output " + output.message);
    }
  }
  return simple;
}

}  // namespace dragoman
