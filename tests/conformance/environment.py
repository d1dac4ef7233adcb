# SPDX-License-Identifier: Apache-2.0
"""behave's hooks: the stand-in hosts live as long as the run."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ['JAQUE_SUPPORT']]
from stand_in_hosts import Hosts  # noqa: E402


def before_all(context):
    context.hosts = Hosts()


def after_all(context):
    context.hosts.close()
