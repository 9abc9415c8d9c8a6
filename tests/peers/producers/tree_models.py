# SPDX-License-Identifier: Apache-2.0
"""Models of scikit-learn, LightGBM and XGBoost as ONNX, by their converters, on drawn data."""

import warnings

import lightgbm
import numpy
import onnxmltools
import skl2onnx
import sklearn
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType as BoosterInput
from skl2onnx.common.data_types import FloatTensorType
from sklearn import (cluster, compose, decomposition, discriminant_analysis, ensemble,
                     feature_selection, gaussian_process, kernel_approximation, linear_model,
                     mixture, naive_bayes, neighbors, neural_network, pipeline, preprocessing, svm,
                     tree)

from shared.cases import write_case
from shared.produce import serve_producer

warnings.filterwarnings("ignore")
SKLEARN, LIGHTGBM, XGBOOST = "scikit-learn", "LightGBM", "XGBoost"
FEATURES, ROWS = 7, 120
OPSET = {"": 18, "ai.onnx.ml": 3}
# float32 thresholds and sums, where the learners compute in float64.
RTOL, ATOL = 2e-3, 1e-4

REGRESSORS = {
    "linear": linear_model.LinearRegression, "ridge": linear_model.Ridge,
    "lasso": linear_model.Lasso, "elastic net": linear_model.ElasticNet,
    "huber": linear_model.HuberRegressor, "bayesian ridge": linear_model.BayesianRidge,
    "tree": tree.DecisionTreeRegressor, "forest": lambda: ensemble.RandomForestRegressor(9),
    "extra trees": lambda: ensemble.ExtraTreesRegressor(9),
    "boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=9),
    "histogram boosting": lambda: ensemble.HistGradientBoostingRegressor(max_iter=9),
    "neighbours": lambda: neighbors.KNeighborsRegressor(4), "svr": svm.SVR,
    "linear svr": svm.LinearSVR, "network": lambda: neural_network.MLPRegressor((9, 5)),
    "gaussian process": gaussian_process.GaussianProcessRegressor,
    "bagging": lambda: ensemble.BaggingRegressor(n_estimators=4),
    "poisson": lambda: linear_model.TweedieRegressor(power=0),
    "quantile": linear_model.RANSACRegressor,
}
CLASSIFIERS = {
    "logistic": linear_model.LogisticRegression, "perceptron": linear_model.Perceptron,
    "ridge classifier": linear_model.RidgeClassifier,
    "tree classifier": tree.DecisionTreeClassifier,
    "forest classifier": lambda: ensemble.RandomForestClassifier(9),
    "boosting classifier": lambda: ensemble.GradientBoostingClassifier(n_estimators=6),
    "ada boost": lambda: ensemble.AdaBoostClassifier(n_estimators=6),
    "neighbours classifier": lambda: neighbors.KNeighborsClassifier(4),
    "svc": lambda: svm.SVC(probability=True), "linear svc": svm.LinearSVC,
    "nu svc": lambda: svm.NuSVC(nu=0.3), "network classifier": lambda:
        neural_network.MLPClassifier((9, 5)), "gaussian": naive_bayes.GaussianNB,
    "bernoulli": naive_bayes.BernoulliNB, "lda": discriminant_analysis.LinearDiscriminantAnalysis,
    "qda": discriminant_analysis.QuadraticDiscriminantAnalysis,
    "voting": lambda: ensemble.VotingClassifier([("a", naive_bayes.GaussianNB()), (
        "b", tree.DecisionTreeClassifier())], voting="soft"),
    "sgd": lambda: linear_model.SGDClassifier(loss="log_loss"),
}
TRANSFORMERS = {
    "standard": preprocessing.StandardScaler, "min max": preprocessing.MinMaxScaler,
    "robust": preprocessing.RobustScaler, "max abs": preprocessing.MaxAbsScaler,
    "normalizer": preprocessing.Normalizer, "binarizer": preprocessing.Binarizer,
    "polynomial": lambda: preprocessing.PolynomialFeatures(2),
    "bins": lambda: preprocessing.KBinsDiscretizer(4, encode="onehot-dense"),
    "power": preprocessing.PowerTransformer, "pca": lambda: decomposition.PCA(3),
    "svd": lambda: decomposition.TruncatedSVD(3), "k means": lambda: cluster.KMeans(3),
    "nystroem": lambda: kernel_approximation.Nystroem(n_components=5),
    "best features": lambda: feature_selection.SelectKBest(k=3),
    "mixture": lambda: mixture.GaussianMixture(3),
    "columns": lambda: compose.ColumnTransformer([
        ("a", preprocessing.StandardScaler(), [0, 2]),
        ("b", preprocessing.MinMaxScaler(), [1, 5])]),
    "pipeline": lambda: pipeline.make_pipeline(
        preprocessing.StandardScaler(), decomposition.PCA(3), linear_model.Ridge()),
}
LIGHTGBM_MODELS = {
    "regressor": lambda: lightgbm.LGBMRegressor(n_estimators=9, verbose=-1),
    "classifier": lambda: lightgbm.LGBMClassifier(n_estimators=9, verbose=-1),
    "forest": lambda: lightgbm.LGBMRegressor(boosting_type="rf", n_estimators=9, verbose=-1,
                                             bagging_freq=1, bagging_fraction=0.7),
    "poisson": lambda: lightgbm.LGBMRegressor(objective="poisson", n_estimators=9, verbose=-1),
}
XGBOOST_MODELS = {
    "regressor": lambda: xgboost.XGBRegressor(n_estimators=9),
    "classifier": lambda: xgboost.XGBClassifier(n_estimators=9),
    "forest": lambda: xgboost.XGBRFRegressor(n_estimators=9),
    "logistic": lambda: xgboost.XGBRegressor(objective="reg:logistic", n_estimators=9),
}


def data(name):
    """Drawn features, and targets of a kind that the model of this name can learn."""
    generator = numpy.random.default_rng(3)
    x = (generator.standard_normal((ROWS, FEATURES)) * 3).astype("float32")
    score = x[:, 0] * 2 - x[:, 1] + generator.standard_normal(ROWS)
    if name in CLASSIFIERS or name == "classifier":
        return x, numpy.digitize(score, [-3, 3])
    if name == "poisson":
        return x, abs(score).round()
    return x, 1 / (1 + numpy.exp(-score / 4)) if name == "logistic" else score


def outputs(model, x, is_classifier):
    """What the converted model gives: labels and scores, or one result."""
    if is_classifier:
        scores = (model.predict_proba(x) if hasattr(model, "predict_proba") else
                  model.decision_function(x))
        return [model.predict(x).astype("int64"), scores.astype("float32")]
    if hasattr(model, "transform") and not hasattr(model, "predict"):
        return [numpy.asarray(model.transform(x), "float32")]
    result = numpy.asarray(model.predict(x))
    if result.dtype.kind == "i":  # the number of a cluster
        return [result.astype("int64")]
    return [result.astype("float32").reshape(len(x), -1)]


def write_onnx(proto, model, x, is_classifier, folder):
    (folder / "model.onnx").write_bytes(proto.SerializeToString())
    name = proto.graph.input[0].name
    rows = [x[:5], x[5:6], x[6:17] * 1.3]  # some of them beyond what was learnt from
    runs = [({name: part}, outputs(model, part, is_classifier)) for part in rows]
    write_case(folder, "model.onnx", runs, rtol=RTOL, atol=ATOL, converter=True)


def learner(name, make):
    def write(folder):
        x, y = data(name)
        model = make()
        model.random_state = 0
        model.fit(x, y)
        options = {"zipmap": False} if hasattr(model, "predict_proba") else {}
        proto = skl2onnx.convert_sklearn(
            model, initial_types=[("x", FloatTensorType([None, FEATURES]))], target_opset=OPSET,
            options={id(model): options} if name in CLASSIFIERS and options else None)
        if name in ("k means", "mixture"):
            del proto.graph.output[1:]  # labels; what else there is has other names in each
        write_onnx(proto, model, x, name in CLASSIFIERS, folder)
    return write


def booster(name, make, convert, **options):
    def write(folder):
        x, y = data(name)
        model = make().fit(x, y)
        proto = convert(model, initial_types=[("x", BoosterInput([None, FEATURES]))],
                        target_opset=15, **options)
        write_onnx(proto, model, x, name == "classifier", folder)
    return write


def cases():
    named = {f"{SKLEARN}/{name}": learner(name, make)
             for name, make in (REGRESSORS | CLASSIFIERS | TRANSFORMERS).items()}
    named |= {f"{LIGHTGBM}/{name}": booster(name, make, onnxmltools.convert_lightgbm, zipmap=False)
              for name, make in LIGHTGBM_MODELS.items()}
    return named | {f"{XGBOOST}/{name}": booster(name, make, onnxmltools.convert_xgboost)
                    for name, make in XGBOOST_MODELS.items()}


if __name__ == "__main__":
    serve_producer(cases(), f"scikit-learn {sklearn.__version__}, LightGBM {lightgbm.__version__}, "
                   f"XGBoost {xgboost.__version__}, skl2onnx {skl2onnx.__version__}")
