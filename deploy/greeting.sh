#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make run` says before it serves: where to go, what to try. deploy/greeting.sh HOST:PORT
url=http://$1
case $1 in :*) url=http://127.0.0.1$1 ;; esac
cat <<END

jaque serves at $url (Ctrl-C ends it). In another terminal:

  curl $url/api/v1/definitions
  curl '$url/api/v1/definitions/samples/clean-contacts/instances?wait=10s' \\
    --json '{"contacts": [{"name": " Ada ", "email": "ADA@Example.org"}, {"name": "Bob"}]}'
  curl $url/metrics

Without the server:

  build/jaque run deploy/samples/create-account.yaml \\
    -input '{"customer": "acme", "member": "ada"}'
  build/jaque help

END
