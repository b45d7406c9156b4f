"""`python -m vivavoce`."""

import sys

from vivavoce.cli import main

sys.exit(main())
