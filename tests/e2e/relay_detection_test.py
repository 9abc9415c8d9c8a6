#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relay's operators of detectors: anchors, boxes that count, regions. By NumPy, as TVM computes."""

import math
import unittest

import numpy as np

from relay_case import CallsCase, draw

random = np.random.default_rng(13)


def overlap(a, b):
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    both = width * height
    covered = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both
    return both / covered if covered > 0 else 0


def moved(rows, keep):
    """Rows to keep, in front, -1 after them; where they were."""
    y, places = -np.ones_like(rows), -np.ones(rows.shape[:2], np.int32)
    for image in range(len(rows)):
        kept = np.flatnonzero(keep[image])
        y[image, :len(kept)], places[image, :len(kept)] = rows[image, kept], kept
    return y, places


class Detection(CallsCase):
    """Rows of boxes: class, score, left, top, right, bottom."""

    @staticmethod
    def rows():
        corners, sizes = random.uniform(0, .7, (2, 9, 2)), random.uniform(.1, .5, (2, 9, 2))
        return np.concatenate([random.integers(-1, 3, (2, 9, 1)), random.uniform(-.1, 1, (2, 9, 1)),
                               corners, corners + sizes], -1).astype(np.float32)

    @staticmethod
    def suppressed(rows, count, most, threshold, force, top, of_class):
        """As TVM's hybrid script: rows by score, -1 where nothing is kept, and their places."""
        y, places = -np.ones_like(rows), -np.ones(rows.shape[:2], np.int32)
        for image, boxes in enumerate(rows):
            order = np.argsort(-boxes[:count[image], 1], kind="stable")
            order = order[:top] if top > 0 else order
            y[image, :len(order)], places[image, :len(order)] = boxes[order], order
            kept = 0
            for j in range(count[image]):
                box, before = y[image, j], y[image, :j]
                alive = [b for b in before if b[1] > 0 and (not of_class or b[0] >= 0) and
                         (force or not of_class or b[0] == box[0])]
                hit = any(overlap(box[2:], b[2:]) >= threshold for b in alive)
                if kept == most or (box[1] > 0 and hit):
                    y[image, j], places[image, j] = -1, -1
                elif box[1] > 0:
                    kept += 1
        return y, places

    def test_valid_boxes_come_first(self):
        rows = self.rows()
        for index, keep in ((0, (rows[..., 1] > .2) & (rows[..., 0] >= 0)), (-1, rows[..., 1] > .2)):
            self.gives(f"vision.get_valid_counts(%x, 0.2f, score_threshold=0.2f, id_index={index})",
                       keep.sum(1).astype(np.int32), *moved(rows, keep), x=rows)
        self.check()

    def test_suppression(self):
        rows = self.rows()
        keep = rows[..., 1] > .1
        rows, names = moved(rows, keep)
        count = keep.sum(1).astype(np.int32)
        for force, top, most, of_class in ((False, -1, -1, True), (True, -1, -1, True),
                                           (False, 4, -1, True), (True, -1, 2, True),
                                           (False, -1, -1, False)):
            y, places = self.suppressed(rows, count, most, .3, force, top, of_class)
            call = (f"vision.non_max_suppression(%x, %n, %i, {most}, 0.3f, force_suppress={force}, "
                    f"top_k={top}, id_index={0 if of_class else -1}")
            named = np.where(places >= 0, np.take_along_axis(names, np.maximum(places, 0), 1), -1)
            front, _ = moved(named, named >= 0)
            self.gives(call + ")", front, (named >= 0).sum(1, keepdims=True).astype(np.int32),
                       x=rows, n=count, i=names)
            self.gives(call + ", return_indices=False)", y, x=rows, n=count, i=names)
            self.gives(call + ", return_indices=False, invalid_to_bottom=True)",
                       moved(y, y[..., 0] >= 0)[0], x=rows, n=count, i=names)
        self.check()

    def test_suppression_class_by_class(self):
        """As TVM's hybrid script for TensorFlow Lite: each class alone, then the best of all."""
        corners = random.uniform(0, .7, (2, 9, 2))
        boxes = np.concatenate([corners, corners + random.uniform(.1, .5, (2, 9, 2))], -1)
        boxes[0, 3] = boxes[0, 3, [2, 3, 0, 1]]
        boxes = boxes.astype(np.float32)
        scores = (random.integers(0, 8, (2, 9, 4)) / np.float32(8)).astype(np.float32)
        for classes, of_class, most, least in ((3, 9, 5, .25), (4, 2, 40, .125), (2, 1, 4, .9)):
            rows, labels = np.zeros((2, most, 4), np.float32), np.zeros((2, most), np.float32)
            best, count = np.zeros((2, most), np.float32), np.zeros(2, np.int32)
            for image in range(2):
                found = []
                for label in range(classes):
                    score = scores[image, :, label + 4 - classes]
                    kept = []
                    for i in np.argsort(-score, kind="stable"):
                        if score[i] >= least and len(kept) < of_class and not any(
                                self.is_over(boxes[image, i], boxes[image, j], .3) for j in kept):
                            kept.append(i)
                    found += [(score[i], label, i) for i in kept]
                found = sorted(found, key=lambda f: -f[0])[:most]
                count[image] = len(found)
                for i, (score, label, box) in enumerate(found):
                    best[image, i], labels[image, i], rows[image, i] = score, label, boxes[image, box]
            self.gives("vision.regular_non_max_suppression(%b, %s, max_detections_per_class="
                       f"{of_class}, max_detections={most}, num_classes={classes}, "
                       f"iou_threshold=0.3f, score_threshold={least}f)", rows, labels, best, count,
                       b=boxes, s=scores)
        self.check()

    @staticmethod
    def is_over(a, b, threshold):
        areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
        sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
        return min(areas) > 0 and sides.prod() / (sum(areas) - sides.prod()) > threshold

    def test_anchors_and_what_is_made_of_them(self):
        x = draw(1, 1, 2, 3)
        priors = []
        for i, j in np.ndindex(2, 3):
            for size, ratio in ((.3, 1), (.5, 1), (.3, 2), (.3, .5)):
                half = np.array([size * 2 / 3 * math.sqrt(ratio), size / math.sqrt(ratio)]) / 2
                centre = np.array([(j + .5) / 3, (i + .5) / 2])
                priors.append([*(centre - half), *(centre + half)])
        self.gives("vision.multibox_prior(%x, sizes=[0.3f, 0.5f], ratios=[1f, 2f, 0.5f])",
                   np.array([priors], np.float32), x=x)
        classes, moves = random.dirichlet([1, 1, 1], (2, 6)).transpose(0, 2, 1), draw(2, 24) * .3
        classes, moves = classes.astype(np.float32), moves.astype(np.float32)
        anchors = np.sort(random.uniform(0, 1, (1, 6, 2, 2)), 2).reshape(1, 6, 4).astype(np.float32)
        size, move = anchors[..., 2:] - anchors[..., :2], moves.reshape(2, 6, 4)
        centre = move[..., :2] * .1 * size + (anchors[..., :2] + anchors[..., 2:]) / 2
        half = np.exp(move[..., 2:] * .2) * size / 2
        boxes = np.clip(np.concatenate([centre - half, centre + half], -1), 0, 1)
        best, score = classes[:, 1:].argmax(1), classes[:, 1:].max(1)
        rows = np.concatenate([best[..., None], score[..., None], boxes], -1).astype(np.float32)
        self.gives("vision.multibox_transform_loc(%c, %l, %a, threshold=0.4f)",
                   moved(rows, score >= .4)[0], (score >= .4).sum(1).astype(np.int32), c=classes,
                   l=moves, a=anchors)
        self.check()

    def test_regions(self):
        x = draw(2, 3, 5, 6)
        regions = np.array([[0, 1, 1, 4, 3.5], [1, 0, .5, 9, 9], [0, 2, 2, 2.2, 2.1]], np.float32)
        y = np.zeros((3, 3, 2, 2), np.float32)
        for k, region in enumerate(regions):
            left, top, right, bottom = np.floor(region[1:] * np.float32(.7) + .5).astype(int)
            height, width = max(bottom - top + 1, 1), max(right - left + 1, 1)
            for i, j in np.ndindex(2, 2):
                rows = slice(top + i * height // 2, top + -(-(i + 1) * height // 2))
                columns = slice(left + j * width // 2, left + -(-(j + 1) * width // 2))
                part = x[int(region[0])][:, rows, columns]
                y[k, :, i, j] = part.max((1, 2)) if part.size else 0
        self.gives("vision.roi_pool(%x, %r, pooled_size=[2, 2], spatial_scale=0.7f)", y, x=x,
                   r=regions)
        y = np.zeros((2, 3, 2, 2), np.float32)
        for k, (batch, left, top, right, bottom) in enumerate(regions[:2]):
            height, width = max(bottom - top, 1) / 2, max(right - left, 1) / 2
            for i, j in np.ndindex(2, 2):
                samples = [bilinear(x[int(batch)], top + (i + (a + .5) / 3) * height,
                                    left + (j + (b + .5) / 3) * width) for a, b in np.ndindex(3, 3)]
                y[k, :, i, j] = np.max(samples, axis=0)
        self.gives('vision.roi_align(%x, %r, pooled_size=[2, 2], spatial_scale=1f, sample_ratio=3, '
                   'mode="max")', y, x=x, r=regions[:2])
        image = draw(1, 8, 4, 6)
        squares = image.reshape(1, 2, 4, 2, 6, 2).transpose(0, 3, 5, 1, 2, 4)
        self.gives("vision.yolo_reorg(%i, stride=2)", squares.reshape(1, 32, 2, 3), i=image)
        self.check()


def bilinear(image, y, x):
    """A point between pixels; 0 beyond one pixel around them."""
    if not (-1 <= y <= image.shape[1] and -1 <= x <= image.shape[2]):
        return np.zeros(image.shape[0], np.float32)
    y, x = min(max(y, 0), image.shape[1] - 1), min(max(x, 0), image.shape[2] - 1)
    top, left = int(y), int(x)
    below, right = min(top + 1, image.shape[1] - 1), min(left + 1, image.shape[2] - 1)
    v, h = y - top, x - left
    upper = image[:, top, left] * (1 - h) + image[:, top, right] * h
    return upper * (1 - v) + (image[:, below, left] * (1 - h) + image[:, below, right] * h) * v


if __name__ == "__main__":
    unittest.main()
