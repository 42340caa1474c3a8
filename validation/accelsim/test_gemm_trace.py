#!/usr/bin/env python3
"""The generator writes what the samples hold, and its closed forms count it."""

import gzip
import pathlib
import tempfile
import unittest

import gemm_trace

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "tests/trace/data/accelsim"


class GemmTrace(unittest.TestCase):
    def test_the_samples_are_written_byte_for_byte(self):
        for sample, shape in (("gemm-8tb", (256, 512, 128)), ("gemm-small", (128, 128, 64))):
            with gzip.open(SAMPLES / sample / "kernel-1.traceg.gz", "rt") as file:
                self.assertEqual("".join(gemm_trace.kernel_text(*shape)), file.read(), sample)

    def test_the_file_holds_the_text_and_is_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in "ab"]
            for file in files:
                gemm_trace.write_kernel(file, 128, 256, 48)
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())
            text = gzip.decompress(files[0].read_bytes()).decode()
            self.assertEqual(text, "".join(gemm_trace.kernel_text(128, 256, 48)))

    def test_the_closed_forms_of_the_gemm_of_320_blocks(self):
        self.assertEqual(gemm_trace.sectors(2048, 2560, 256), (1638400 - 327680, 327680, 73728))

    def test_a_slice_has_the_rows_of_the_whole(self):
        slice_of = (256, 256, 2128, 2, 2128, 4256)
        self.assertEqual(gemm_trace.sectors(*slice_of), gemm_trace.sectors(256, 256, 64))
        text = "".join(gemm_trace.kernel_text(*slice_of))
        for matrix, row_bytes, alone in ((gemm_trace.A, 2128 * 2, 64 * 2), (gemm_trace.C, 4256 * 2, 256 * 2)):
            self.assertTrue(f"{matrix + 128 * row_bytes:#014x}" in text)  # the second row of tiles
            self.assertFalse(f"{matrix + 128 * alone:#014x}" in text)


if __name__ == "__main__":
    unittest.main()
