# Everything a developer does here, by name. `make` alone lists it.
# Needs Node.js (any that runs npm), Python 3, Terraform and make; the rest is installed into this folder.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

NODE := scripts/node
TEST := $(NODE) scripts/test.ts

.PHONY: help
help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## Installing -----------------------------------------------------------------------------------------------------------

.PHONY: install
install: node_modules/.installed .venv/.installed ## Installs what the project needs, into the project

node_modules/.installed: package.json package-lock.json functions/package.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.venv/.installed: scripts/requirements.txt
	python3 -m venv .venv
	.venv/bin/python -m pip install -qq --disable-pip-version-check --requirement scripts/requirements.txt
	@touch $@

## Building -------------------------------------------------------------------------------------------------------------

.PHONY: build package
build: package
package: node_modules/.installed ## Builds functions/dist/pipeline.zip, byte for byte the same everywhere
	@$(NODE) scripts/package.ts

HANDLER := examples/handler/handler.ts
OUT := examples/handler/dist
.PHONY: handler
handler: node_modules/.installed ## Bundles a handler of your own: make handler HANDLER=path/handler.ts OUT=folder
	@$(NODE) scripts/package.ts --handler $(HANDLER) --out $(OUT)

## Running --------------------------------------------------------------------------------------------------------------

.PHONY: demo up down status
demo: install ## Applies examples/orders on local AWS, sends traffic, kills a consumer, judges the promises
	@$(NODE) scripts/demo.ts

up: install ## Starts local AWS
	@$(NODE) scripts/local-aws.ts up

status: node_modules/.installed ## Says which local AWS runs, and where
	@$(NODE) scripts/local-aws.ts status

down: node_modules/.installed ## Takes down everything that make demo and make up started
	@$(NODE) scripts/down.ts

.PHONY: try
try: node_modules/.installed ## What the pipelines of a plan would make of messages: make try PLAN=plan.json MESSAGES="a.json b.json"
	@$(NODE) scripts/try.ts $(PLAN) $(MESSAGES)

## Checking -------------------------------------------------------------------------------------------------------------

.PHONY: test
test: install ## Everything: format, lint, types, unit, package, Terraform, plans, simulation, integration
	@$(TEST)

.PHONY: format lint typecheck unit verify-package terraform plan scan simulation integration
format: node_modules/.installed ## Checks the formatting (make fmt repairs it)
	@$(TEST) format
lint: node_modules/.installed ## Lints TypeScript and JSON
	@$(TEST) lint
typecheck: node_modules/.installed ## Type checks
	@$(TEST) typecheck
unit: node_modules/.installed ## Unit and property tests
	@$(TEST) unit
verify-package: node_modules/.installed ## Rebuilds the zip and compares it with the committed one
	@$(TEST) verify-package
terraform: install ## terraform fmt, validate and test
	@$(TEST) terraform
plan: install ## Assertions on terraform show -json of plans
	@$(TEST) plan
scan: ## Scans module and examples with checkov
	@$(TEST) scan
simulation: node_modules/.installed ## The pipeline in a seeded simulation with injected crashes
	@$(TEST) simulation
integration: install ## Real terraform apply on local AWS, real functions, real crashes
	@$(TEST) integration

.PHONY: test-cdktf
test-cdktf: install examples/cdktf/node_modules/.installed ## examples/cdktf: its types, and that it plans what the HCL does (installs 425 MB)
	@$(TEST) cdktf

examples/cdktf/node_modules/.installed: examples/cdktf/package.json examples/cdktf/package-lock.json
	npm ci --prefix examples/cdktf --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: test-aws
test-aws: install ## In the real account that TEST_AWS_ACCOUNT_ID names: docs/local-aws.md says what it does and costs
	@$(TEST) aws

.PHONY: bench
bench: node_modules/.installed scripts/bench/node_modules/.installed ## Compares the shipped zip with three other ways; writes docs/performance.* (half an hour; ARGS=--cold-start for the start alone)
	@$(NODE) scripts/bench.ts $(ARGS)

scripts/bench/node_modules/.installed: scripts/bench/package.json scripts/bench/package-lock.json
	npm ci --prefix scripts/bench --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: fmt
fmt: node_modules/.installed ## Formats TypeScript, JSON and Terraform
	@$(NODE) node_modules/@biomejs/biome/bin/biome check --write --log-level=warn .
	@git ls-files -z -- '*.tf' '*.tfvars' '*.tftest.hcl' | xargs -0 -r terraform fmt

## Proving, for longer ---------------------------------------------------------------------------------------------------

.PHONY: storm chaos
storm: install package ## The deployed pipeline behind proxies that inject faults; arguments: ARGS="--events 2000 --quick"
	@$(NODE) scripts/storm.ts $(ARGS)
chaos: install package ## The deployed pipeline while its functions are killed, redeployed, starved; ARGS="--quick"
	@$(NODE) scripts/chaos.ts $(ARGS)

.PHONY: soak properties verify-model peers lease-savings mutate
soak: node_modules/.installed ## The simulation for as long as one likes: make soak SECONDS=600
	@$(NODE) scripts/soak.ts $(or $(SECONDS),60)
properties: node_modules/.installed ## The property tests with new draws and ten times as many: make properties TIMES=100
	@export PROPERTY_SEED=$${PROPERTY_SEED:-$$(date +%s)} PROPERTY_TIMES=$(or $(TIMES),10); \
	  echo "PROPERTY_SEED=$$PROPERTY_SEED"; $(TEST) unit -- --testPathPatterns '[.]property[.]' --testTimeout 600000
verify-model: ## The protocol over every interleaving, and that each of its mutants is caught
	@scripts/verify-model.sh
peers: node_modules/.installed ## Other ways to do this work under the same simulated storm
	@$(NODE) scripts/peers.ts
lease-savings: node_modules/.installed ## How many duplicates the lease saves: the same seeds with it and without
	@$(NODE) scripts/lease-savings.ts
mutate: node_modules/.installed test/mutation/node_modules/.installed ## Mutation testing of the core; ARGS="--mutate FILE" for one file
	@$(NODE) test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js run test/mutation/stryker.json $(ARGS)

test/mutation/node_modules/.installed: test/mutation/package.json test/mutation/package-lock.json
	npm ci --prefix test/mutation --no-audit --no-fund --loglevel=error
	@touch $@

## Leaving --------------------------------------------------------------------------------------------------------------

.PHONY: clean
clean: ## Removes everything that was installed or built, after make down
	@if [ -x node_modules/.bin/jest ]; then $(MAKE) --no-print-directory down; fi
	rm -rf node_modules scripts/bench/node_modules test/mutation/node_modules .venv .scratch $(addprefix examples/cdktf/,node_modules .gen .module .cdktf.out build) reports coverage functions/dist/maps
