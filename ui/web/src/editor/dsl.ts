// SPDX-License-Identifier: Apache-2.0
// The structure of a definition, for completion: which keys may stand where, with a word on each.
// What is wrong is for the server to say (definitions/validate).

export interface Shape {
  keys?: Record<string, Key>;
  list?: () => Shape; // items of a list
  named?: () => Shape; // any name: `- greet:`
}

export interface Key {
  info: string;
  shape?: () => Shape;
  values?: string[];
}

const key = (info: string, shape?: () => Shape, values?: string[]): Key => ({info, shape, values});

const tasks = (): Shape => ({list: () => ({named: task})});

const duration = (): Shape => ({
  keys: {
    days: key('a number'),
    hours: key('a number'),
    minutes: key('a number'),
    seconds: key('a number'),
    milliseconds: key('a number'),
  },
});

const error = (): Shape => ({
  keys: {
    type: key('a URI that says which error'),
    status: key('a number, as of HTTP'),
    title: key('in few words'),
    detail: key('what happened'),
    instance: key('where'),
  },
});

const schema = (): Shape => ({
  keys: {
    format: key('json', undefined, ['json']),
    document: key('the schema itself'),
    resource: key('where the schema lies'),
  },
});

const flow = key('continue, exit, end or the name of a task', undefined, [
  'continue',
  'exit',
  'end',
]);

const event = (): Shape => ({
  keys: {
    with: key('what the event must have', () => ({
      keys: {
        type: key('its type'),
        source: key('its source'),
        subject: key('its subject'),
        id: key('its id'),
        data: key('an expression on its data'),
      },
    })),
    correlate: key('values that events must share', () => ({
      named: () => ({
        keys: {
          from: key('an expression on the event'),
          expect: key('the value that it must be'),
        },
      }),
    })),
  },
});

const events = (): Shape => ({list: event});

const http = (): Shape => ({
  keys: {
    method: key('get, post, …', undefined, ['get', 'post', 'put', 'patch', 'delete', 'head']),
    endpoint: key('the address, or an expression', () => ({
      keys: {
        uri: key('the address'),
        authentication: key('how to sign in'),
      },
    })),
    headers: key('headers of the request'),
    query: key('parameters of the query'),
    body: key('what is sent'),
    redirect: key('whether 3xx counts as success'),
    output: key('what the task yields', undefined, ['content', 'response', 'raw']),
    document: key('of openapi: the document'),
    operationId: key('of openapi: the operation'),
    parameters: key('of openapi: its parameters'),
  },
});

const run = (): Shape => ({
  keys: {
    workflow: key('a child instance', () => ({
      keys: {
        namespace: key('of the definition'),
        name: key('of the definition'),
        version: key('of the definition, or latest'),
        input: key('what it gets'),
      },
    })),
    script: key('a program in the text', () => ({
      keys: {
        language: key('js or python', undefined, ['js', 'python']),
        code: key('the program'),
        arguments: key('what it is called with'),
        environment: key('its environment'),
      },
    })),
    shell: key('a command', () => ({
      keys: {
        command: key('the command'),
        arguments: key('its arguments'),
        environment: key('its environment'),
      },
    })),
    await: key('false: go on without the result', undefined, ['true', 'false']),
    return: key('what the task yields', undefined, ['stdout', 'stderr', 'code', 'all', 'none']),
  },
});

const retry = (): Shape => ({
  keys: {
    when: key('an expression: only then'),
    exceptWhen: key('an expression: not then'),
    delay: key('before each attempt', duration),
    backoff: key('how the delay grows', () => ({
      keys: {
        constant: key('{}: not at all'),
        linear: key('{}: by the same'),
        exponential: key('{}: doubles'),
      },
    })),
    limit: key('when to give up', () => ({
      keys: {
        attempt: key('of attempts', () => ({
          keys: {
            count: key('how many'),
            duration: key('of one', duration),
          },
        })),
        duration: key('of all together', duration),
      },
    })),
    jitter: key('a random addition', () => ({
      keys: {
        from: key('at least', duration),
        to: key('at most', duration),
      },
    })),
  },
});

function task(): Shape {
  return {
    keys: {
      set: key('yields what stands here'),
      call: key('http, openapi, … with `with`', undefined, ['http', 'openapi']),
      with: key('arguments of a call', http),
      run: key('a script, a command, a child', run),
      do: key('tasks one after the other', tasks),
      for: key('for each item: the tasks of do', () => ({
        keys: {
          each: key('name of the item'),
          in: key('an expression that yields the list'),
          at: key('name of the index'),
        },
      })),
      while: key('of a for: as long as this holds'),
      fork: key('branches at the same time', () => ({
        keys: {
          branches: key('the branches', tasks),
          compete: key('true: the first one wins', undefined, ['true', 'false']),
        },
      })),
      switch: key('cases; the first that holds is taken', () => ({
        list: () => ({
          named: () => ({
            keys: {
              when: key('an expression; without it: otherwise'),
              then: flow,
            },
          }),
        }),
      })),
      try: key('tasks whose errors are caught', tasks),
      catch: key('what becomes of an error', () => ({
        keys: {
          errors: key('which errors', () => ({
            keys: {with: key('attributes that they have', error)},
          })),
          as: key('the name of the error'),
          when: key('an expression: only then'),
          exceptWhen: key('an expression: not then'),
          retry: key('a policy, or its name', retry),
          do: key('tasks that handle it', tasks),
          then: flow,
        },
      })),
      raise: key('an error', () => ({keys: {error: key('which', error)}})),
      wait: key('a pause', duration),
      emit: key('an event', () => ({keys: {event: key('which', event)}})),
      listen: key('waits for events', () => ({
        keys: {
          to: key('which events', () => ({
            keys: {
              one: key('this one', event),
              any: key('one of these', events),
              all: key('all of these', events),
              until: key('an expression, or events that end it'),
            },
          })),
          read: key('what of them', undefined, ['data', 'envelope', 'raw']),
        },
      })),
      foreach: key('of a listen: tasks for each event', () => ({
        keys: {
          item: key('name of the event'),
          at: key('name of the index'),
          do: key('the tasks', tasks),
        },
      })),
      if: key('an expression: only then'),
      input: key('what the task gets', () => ({
        keys: {
          schema: key('what is allowed', schema),
          from: key('an expression on what came before'),
        },
      })),
      output: key('what the task yields', () => ({
        keys: {
          schema: key('what is allowed', schema),
          as: key('an expression on the result'),
        },
      })),
      export: key('what becomes $context', () => ({
        keys: {
          schema: key('what is allowed', schema),
          as: key('an expression; yields the new context'),
        },
      })),
      timeout: key('how long it may take', () => ({keys: {after: key('so long', duration)}})),
      then: flow,
      metadata: key('for people and tools'),
    },
  };
}

export const ROOT: Shape = {
  keys: {
    document: key('what this is', () => ({
      keys: {
        dsl: key('version of the language', undefined, ["'1.0.3'"]),
        namespace: key('a group of workflows'),
        name: key('its name'),
        version: key('as 1.2.3; a version never changes'),
        title: key('for people'),
        summary: key('for people'),
        tags: key('for the search'),
        metadata: key('for tools'),
      },
    })),
    input: key('what instances get', () => ({
      keys: {
        schema: key('what is allowed; makes the form to start it', schema),
        from: key('an expression on the input'),
      },
    })),
    do: key('the tasks', tasks),
    output: key('what instances yield', () => ({
      keys: {
        schema: key('what is allowed', schema),
        as: key('an expression on the last output'),
      },
    })),
    use: key('named parts', () => ({
      keys: {
        retries: key('retry policies', () => ({named: retry})),
        errors: key('errors', () => ({named: error})),
        secrets: key('names of secrets'),
        authentications: key('ways to sign in'),
        functions: key('functions that calls name'),
        timeouts: key('timeouts'),
      },
    })),
    schedule: key('starts by itself', () => ({
      keys: {
        cron: key('minute hour day month weekday'),
        every: key('so often', duration),
        after: key('so long after the end', duration),
        on: key('by events'),
      },
    })),
    timeout: key('how long an instance may take', () => ({
      keys: {after: key('so long', duration)},
    })),
  },
};

// The keys around a place, outermost first; "[]" is an item of a list. By indentation alone, so
// that it works while the text is half written.
export function pathAt(lines: string[], line: number, column: number): string[] {
  const path: string[] = [];
  let indent = column;
  for (let at = line - 1; at >= 0 && indent > 0; --at) {
    const match = /^(\s*)((?:- +)*)(?:(["']?)([^"':#\s][^"':]*)\3:(?:\s|$))?/.exec(lines[at]);
    if (!match || lines[at].trim() === '') continue;
    const dashes = (match[2].match(/-/g) ?? []).length;
    const keyColumn = match[1].length + match[2].length;
    if (match[4] !== undefined && keyColumn < indent) {
      path.unshift(match[4].trim());
      indent = keyColumn;
    }
    if (dashes > 0 && match[1].length < indent) {
      path.unshift('[]');
      indent = match[1].length + (at > 0 ? 0.5 : 0);
    }
  }
  return path;
}

export function shapeAt(path: string[]): Shape | undefined {
  let shape: Shape | undefined = ROOT;
  for (const step of path) {
    if (step === '[]') shape = shape?.list?.();
    else shape = shape?.keys?.[step]?.shape?.() ?? shape?.named?.();
    if (!shape) return undefined;
  }
  return shape;
}
