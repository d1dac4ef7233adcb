# SPDX-License-Identifier: Apache-2.0
"""The conformance kit's steps, each by `jaque run`."""
# pylint: disable=no-name-in-module,function-redefined,missing-function-docstring
import json
import re

import yaml
from behave import given, then, use_step_matcher, when

import jaque

use_step_matcher('re')

FACT = re.compile(r'^[0-9:.]+ (started|waiting|completed|skipped|failed|next|retry|caught|event) '
                  r'(/\S+)', re.M)


def document(context):
    """The step's YAML; the kit writes its language into the first line."""
    return yaml.safe_load(re.sub(r'^yaml\s*\n', '', context.text))


def order(context):
    """(first fact of each task, last fact of each task), by name, as positions."""
    first, last = {}, {}
    for position, fact in enumerate(FACT.finditer(context.result.err)):
        name = fact.group(2).rsplit('/', 1)[1]
        first.setdefault(name, position)
        last[name] = position
    return first, last


def find(value, path):
    for key in path.split('.'):
        assert isinstance(value, dict) and key in value, f'{path} is not in {value}'
        value = value[key]
    return value


@given('a workflow with definition:?')
def step(context):
    context.definition = re.sub(r'^yaml\s*\n', '', context.text)
    context.given = None


@given('given the workflow input is:?')
def step(context):
    context.given = document(context)


@when('the workflow is executed')
def step(context):
    context.result = jaque.run(context.definition + '\n', *context.hosts.flags,
                               '-progress', 'plain', given=context.given)


@then('the workflow should complete')
def step(context):
    assert context.result.code == 0, context.result


@then('the workflow should complete with output:?')
def step(context):
    assert context.result.code == 0, context.result
    expected = document(context)
    assert context.result.output == expected, (
        f'{json.dumps(context.result.output)} is not {json.dumps(expected)}')


@then('the workflow should fault')
def step(context):
    assert context.result.code == 1, context.result
    assert 'type' in context.result.error


@then('the workflow should fault with error:?')
def step(context):
    assert context.result.code == 1, context.result
    error = context.result.error
    for name, expected in document(context).items():
        assert error.get(name) == expected, f'{name} is {error.get(name)!r}, not {expected!r}'


@then('the workflow output should have properties (?P<names>.+)')
def step(context, names):
    for name in re.findall(r"'([^']+)'", names):
        find(context.result.output, name)


@then("the workflow output should have a '(?P<name>[^']+)' property with value:?")
def step(context, name):
    value, expected = find(context.result.output, name), document(context)
    assert value == expected, f'{name} is {value!r}, not {expected!r}'


@then("the workflow output should have a '(?P<name>[^']+)' property containing "
      '(?P<count>[0-9]+) items?')
def step(context, name, count):
    value = find(context.result.output, name)
    assert len(value) == int(count), f'{name} is {value!r}'


@then(r'(?P<task>\w+) should run first')
def step(context, task):
    first, _ = order(context)
    assert task in first and first[task] == min(first.values()), context.result


@then(r'(?P<task>\w+) should run last')
def step(context, task):
    _, last = order(context)
    assert task in last and last[task] == max(last.values()), context.result


@then(r'(?P<task>\w+) should run after (?P<other>\w+)')
def step(context, task, other):
    first, last = order(context)
    assert first[task] > last[other], context.result
