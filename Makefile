# The whole set-up is `make run` and `make test`. Python 3.11 or newer is all they need.
#   make run     start the gateway with a demo organization on 127.0.0.1:8000
#   make test    lint, types, import rules, tests, and the fault that says most;
#                PYTEST_ARGS='tests/sandbox -k groups' runs that part and nothing else
#   make faults  the other faults in short form, tests that start much or wait for long, ejabberd,
#                generators and linters of others on the API's description, and in Firefox, what
#                scripts of the dashboard do
#   make chaos   all faults and state machines in their long form, and properties with 1,000 examples
#   make test-on DATABASE_URL=postgresql://…  all tests on a PostgreSQL of yours, also Citus, and
#                the faults in short form, but for those that break a server of their own
#   make matrix  all tests with each Python and PostgreSQL that is promised; ONLY=postgresql-16
#   make bench   measure, into bench/latest.json
#   make image   build an image of Debian's packages, without a registry, and run it, also by Compose
#                (as root)
#   make systemd  start the units in deploy/systemd in a Debian of their own (as root)
#   make docs    build the documentation, which the gateway serves under /help
#   make wheel   build the wheel, with the documentation in it, into dist
#   make pictures  take the dashboard's pictures and that of a trace anew, into docs/pictures
#   make check   what `make test` does before the tests
#   make format  format, and fix what can be fixed automatically
#   make clients  write the API's description and generate the clients from it anew
#   make lock    lock the requirements anew (needs uv)

PYTHON ?=
PYTEST_ARGS ?=
# Tests wait for longer than they work, and faults, which have machines of their own, even more.
PYTEST_WORKERS ?= 6
FAULT_WORKERS ?= 8
BY_FILE = --dist loadfile --no-loadscope-reorder
IN_PARALLEL = -n $(PYTEST_WORKERS) $(BY_FILE)
FAULTS_IN_PARALLEL = -n $(FAULT_WORKERS) $(BY_FILE)
# In Firefox run those of a folder whose set-up says so; the others say it themselves.
FAULTS = tests/acceptance $(shell \
    grep -rl --include='test_*.py' --exclude-dir=node_modules mark.extra_fault tests | sort)
UV ?= uv
IMAGE ?= localhost/heliograph:latest

VENV := .venv
BIN := $(VENV)/bin
SHOWN_PIP := $(BIN)/python -m pip --disable-pip-version-check
PIP := $(SHOWN_PIP) --quiet
RUN := $(VENV)/run.stamp
DEV := $(VENV)/dev.stamp
GENERATOR := $(VENV)/clients/installed.stamp
SITE_BUILDER := $(VENV)/docs/installed.stamp

# What pip prints, as one line that counts; where nobody looks, nothing.
define SHOW_PROGRESS
BEGIN { is_seen = system("test -t 2") == 0 }
/^(Collecting|Requirement already)/ { show(sprintf("%d of %d packages", ++count, all)) }
/^Installing collected/ { show("all are there; installing them") }
function show(text) { if (is_seen) printf "\r  %-40s", text > "/dev/stderr" }
END { if (is_seen) printf "\r  %-40s\r", "" > "/dev/stderr" }
endef
export SHOW_PROGRESS
export PIP_ROOT_USER_ACTION = ignore
# Where it is set, each of the many processes that tests start would compile every module anew.
export PYTHONDONTWRITEBYTECODE =

.PHONY: run test test-on faults chaos matrix image systemd docs wheel pictures bench check \
    check-style check-types check-tests format clients lock
.DELETE_ON_ERROR:

run: $(RUN)
	@exec $(BIN)/python -m heliograph serve --demo

test: $(DEV)
ifeq ($(strip $(PYTEST_ARGS)),)
	@$(MAKE) --no-print-directory check-style
	@$(MAKE) --no-print-directory -j 2 check-types check-tests
else
	$(BIN)/python -m pytest $(IN_PARALLEL) $(PYTEST_ARGS)
endif

# The address goes through the environment, where neither make nor a shell reads it.
test-on: export HELIOGRAPH_TEST_DATABASE_URL = $(value DATABASE_URL)
test-on: $(DEV)
	@if [ -z "$$HELIOGRAPH_TEST_DATABASE_URL" ]; then \
	    echo "Name the server: make test-on DATABASE_URL=postgresql://postgres@127.0.0.1/postgres" >&2; \
	    exit 1; \
	fi
ifeq ($(strip $(PYTEST_ARGS)),)
	$(BIN)/python -m pytest $(IN_PARALLEL) -m 'not extra_fault'
	$(BIN)/python -m pytest -m extra_fault $(FAULTS)
else
	$(BIN)/python -m pytest $(IN_PARALLEL) $(PYTEST_ARGS)
endif

faults: $(DEV)
	$(BIN)/python -m pytest $(FAULTS_IN_PARALLEL) -m extra_fault $(FAULTS) $(PYTEST_ARGS)

check: $(DEV)
	@$(MAKE) --no-print-directory -j 2 check-style check-types

check-style: $(DEV)
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/lint-imports

# Types take one processor for a minute: as long as the tests wait for their first servers.
check-types: $(DEV)
	$(BIN)/python -m mypy

check-tests: $(DEV)
	$(BIN)/python -m pytest $(IN_PARALLEL) -m 'not extra_fault'

format: $(DEV)
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

chaos: $(DEV)
	$(BIN)/python -m pytest --long tests/chaos tests/cluster/test_lease_machine.py \
	    tests/messages/test_message_machine.py $(PYTEST_ARGS)
ifeq ($(strip $(PYTEST_ARGS)),)
	$(BIN)/python -m pytest --long $(IN_PARALLEL) -m hypothesis
endif

matrix: $(DEV)
	@PYTHONPATH=tests:tests/support ONLY=$(ONLY) PYTEST_WORKERS=$(PYTEST_WORKERS) \
	    $(BIN)/python -m matrix

image: $(DEV)
	IMAGE=$(IMAGE) deploy/compose/build_image.sh
	$(BIN)/python -m pytest -n 0 --image $(IMAGE) tests/image $(PYTEST_ARGS)

systemd: $(DEV)
	$(BIN)/python -m pytest -n 0 --systemd tests/systemd $(PYTEST_ARGS)

docs: $(SITE_BUILDER)
	PYTHONPATH=src $(VENV)/docs/bin/python -m docs.site

wheel: $(RUN) docs
	$(BIN)/python -m hatchling build --target wheel --directory dist

pictures: $(DEV)
	$(BIN)/python -m docs.pictures.draw_capacity
	$(BIN)/python docs/pictures/take_screenshots.py
	$(BIN)/python docs/pictures/draw_trace.py
	$(BIN)/python docs/pictures/draw_dashboard.py

bench: $(DEV)
	$(BIN)/python -m bench

clients: $(DEV) $(GENERATOR)
	$(BIN)/python clients/generate.py
	@if [ -d clients/typescript ]; then cd clients/typescript && npm ci && npm run generate; fi

lock:
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --generate-hashes --no-header --group build --extra demo \
	    --extra redis --extra xmpp pyproject.toml --output-file requirements/run.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --generate-hashes --no-header --group docs --constraints requirements/run.txt \
	    --output-file requirements/docs.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --generate-hashes --no-header --group build --group dev --extra demo \
	    --extra redis --extra xmpp --constraints requirements/run.txt --constraints requirements/docs.txt \
	    pyproject.toml --output-file requirements/dev.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --generate-hashes --no-header --group build --extra redis \
	    --extra tracing --extra whatsapp --extra xmpp --constraints requirements/run.txt pyproject.toml \
	    --output-file requirements/image.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --generate-hashes --no-header --group clients \
	    --output-file requirements/clients.txt

# Packages as locked, then this one, which is built with what the lock has brought. Of the packages
# for development only a few are imported: each is compiled when it is, and not all at once.
$(VENV)/%.stamp: requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "Installing requirements/$*.txt into $(VENV), which takes a minute the first time ..."
	@rm -f $(VENV)/failed
	@{ $(SHOWN_PIP) install --progress-bar off $(if $(filter dev,$*),--no-compile) --require-hashes --requirement requirements/$*.txt || touch $(VENV)/failed; } | \
	    awk -v all=$$(grep -c == requirements/$*.txt) "$$SHOW_PROGRESS"
	@! test -e $(VENV)/failed
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# What generates the Python client, and what builds the documentation, each in an environment of its
# own: the one needs other versions than we do, the other is all that who wants to read needs.
$(VENV)/%/installed.stamp: requirements/%.txt | $(BIN)/python
	@echo "Installing requirements/$*.txt into $(VENV)/$* ..."
	@$(BIN)/python -m venv --clear $(VENV)/$*
	@$(VENV)/$*/bin/python -m pip --disable-pip-version-check --quiet install \
	    --require-hashes --requirement requirements/$*.txt
	@touch $@

$(BIN)/python:
	@python=$$(for candidate in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	    "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	        && echo "$$candidate" && break; \
	done); \
	if [ -z "$$python" ]; then \
	    echo "Heliograph needs Python 3.11 or newer, and $(or $(PYTHON),python3) is not." \
	        "Install it, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python can't make virtual environments: its modules venv and ensurepip are" \
	        "missing. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; \
	fi; \
	"$$python" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
