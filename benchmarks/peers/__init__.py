# SPDX-License-Identifier: Apache-2.0
"""Peers: programs of others that solve the same, called as black boxes.

None of their code is here: each is installed from the package index into an environment of its
own, and a small program beside this one turns our JSON into calls of its public interface.
"""
