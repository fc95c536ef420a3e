"""Entry of `python -m graph.evaluation`."""

import sys

from graph.evaluation.command import main

sys.exit(main())
