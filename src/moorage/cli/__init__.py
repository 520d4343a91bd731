# SPDX-License-Identifier: Apache-2.0
"""The command line: lazy commands, one place for errors, data on stdout and talk on stderr."""
