"""The optimiser's passes are checked, each by itself, in all tests of the engine."""

import os

os.environ["KEMU_CHECK_PASSES"] = "1"
