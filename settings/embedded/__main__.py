"""`python -m settings.embedded`, which is what bin/run ends in."""

import sys

from settings.embedded import runner

sys.exit(runner.main(sys.argv[1:]))
