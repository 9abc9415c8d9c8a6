#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes operators/: a small graph for each operator, and what TensorFlow.js gives for it.

Usage: make_operators.py ORACLE [NAME]      (in the root of the project; operator_cases.py)
"""

import operator_cases
import operators_arrays as arrays
import operators_elements as elements
import operators_encoded as encoded
import operators_flow as flow
import operators_functions as functions
import operators_images as images
import operators_layers as layers
import operators_lists as lists
import operators_matrices as matrices
import operators_networks as networks
import operators_numbers as numbers
import operators_options as options
import operators_products as products
import operators_quantized as quantized
import operators_random as random_numbers
import operators_records as records
import operators_reductions as reductions
import operators_run_time as run_time
import operators_shapes as shapes
import operators_signals as signals
import operators_sparse as sparse
import operators_state as state
import operators_text as text
import operators_windows as windows


def main():
    images.make_images()
    signals.make_spectra()
    arrays.make_segments()
    arrays.make_sparse()
    images.make_boxes()
    layers.make_quantized()
    images.make_layouts()
    arrays.make_products()
    text.make_tables()
    images.make_dilated()
    layers.make_block_lstm()
    operator_cases.seed(19)
    text.make_text()
    text.make_vectorization()
    arrays.make_ragged()
    signals.make_audio()
    layers.make_gradients()
    arrays.make_linalg()
    layers.make_activations()
    layers.make_growing_array()
    operator_cases.seed(21)
    arrays.make_decoder()
    layers.make_dequantized()
    text.make_joined_text()
    operator_cases.seed(22)
    sparse.make_sparse_tensors()
    sparse.make_reduced_sparse()
    sparse.make_counts()
    sparse.make_ragged_rows()
    numbers.make_special()
    numbers.make_replaced()
    numbers.make_spectra_of_matrices()
    numbers.make_resampled()
    numbers.make_convolved()
    quantized.make_quantize()
    quantized.make_quantized_products()
    quantized.make_quantized_elementwise()
    quantized.make_requantized()
    text.make_unicode()
    arrays.make_beam_search()
    operator_cases.seed(26)
    matrices.make_diagonals()
    matrices.make_bits()
    matrices.make_matrices()
    random_numbers.make_random()
    images.make_projective()
    images.make_bicubic()
    matrices.make_bounds()
    flow.make_loop_in_branch()
    operator_cases.seed(27)
    sparse.make_sparse_counts()
    matrices.make_shifts()
    matrices.make_bands()
    flow.make_first_arrays()
    flow.make_growing_lists()
    text.make_crosses()
    text.make_recorded_cross()
    operator_cases.seed(28)
    lists.make_lists()
    images.make_suppression()
    matrices.make_qr()
    quantized.make_run_time_ranges()
    layers.make_integer_convolution()
    flow.make_text_conditions()
    operator_cases.seed(29)
    quantized.make_own_ranges()
    text.make_letter_cases()
    operator_cases.seed(30)
    layers.make_fused_for_javascript()
    flow.make_text_map()
    operator_cases.seed(30)
    encoded.make_encoded_numbers()
    encoded.make_encoded_images()
    layers.make_fused()
    arrays.make_run_time_axes()
    elements.make_elements()
    shapes.make_shapes()
    windows.make_windows()
    reductions.make_reductions()
    networks.make_networks()
    functions.make_functions()
    state.make_states()
    products.make_products()
    operator_cases.seed(39)
    flow.make_calls()
    flow.make_references()
    lists.make_list_operators()
    lists.make_array_operators()
    random_numbers.make_newer_random()
    random_numbers.make_properties()
    text.make_matches()
    quantized.make_quantized_arithmetic()
    quantized.make_fused_convolutions()
    quantized.make_fused_products()
    options.make_options()
    flow.make_switches()
    operator_cases.seed(41)
    sparse.make_sets()
    sparse.make_rows_of_ragged()
    layers.make_lstm_blocks()
    arrays.make_other_run_time_axes()
    lists.make_replaced_element()
    operator_cases.seed(43)
    records.make_numbers_as_text()
    records.make_base64()
    records.make_scripts()
    records.make_examples()
    records.make_added_texts()
    records.make_norms_over_no_axes()
    run_time.make_run_time_diagonals()
    run_time.make_run_time_images()
    run_time.make_unknown_sizes()
    run_time.make_ragged_floats()
    numbers.make_gaussian_edge()
    numbers.make_complements()
    run_time.make_xla_slices()
    run_time.make_depthwise_at_run_time()
    layers.make_normalisation_gradients()
    products.make_resize_gradients()
    matrices.make_tridiagonal()
    numbers.make_integrals()
    windows.make_window_gradients()
    numbers.make_function_ends()
    run_time.make_pools_apart()
    quantized.make_halves_away()
    windows.make_volume_patches_apart()
    matrices.make_triangular_bands()


if __name__ == "__main__":
    main()
