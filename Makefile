# ratelab: a laboratory for rate limiters. Needs Go (see go.mod) and make; Go
# fetches what else the program needs by itself.

GO ?= go
quick := $(if $(filter-out 0,$(QUICK)),--quick)
RESULTS ?= results
# Where the texts go that are made of results.
texts := $(if $(filter results,$(RESULTS)),docs,$(RESULTS))

# What a cell of an experiment runs, and what writes its tables: results made by
# other code are not served.
rooms := $(wildcard des workloads clients limiters fleet logs experiments internal plots/table)
digest := $$(if command -v sha256sum >/dev/null; then echo sha256sum; else echo shasum -a 256; fi)
program = $(shell digest="$(digest)"; find $(rooms) -name '*.go' ! -name '*_test.go' | LC_ALL=C sort | xargs $$digest go.mod go.sum | $$digest | cut -d ' ' -f 1)
revision = $(shell git rev-parse HEAD 2>/dev/null)$(if $(shell git status --porcelain -- . ':!results' 2>/dev/null),+)

targets := help figures writeup verify check test bench peers browser slurm arm64 cross lint clean bin/ratelab bin/peers.test bin/browser.test
# Any other name that is asked for is an experiment's.
names := $(filter-out $(targets) Makefile,$(MAKECMDGOALS))

# What make browser looks at: quick experiments with every kind of chart.
looked := boundary-burst reset-stampede retry-etiquette shed-vs-throttle

.PHONY: $(targets) $(names)

help: ## this help
	@echo 'make TARGET [QUICK=1] [RESULTS=folder]'
	@sed -n 's/^\([a-z0-9]*\): .*## /  \1	/p' Makefile | expand -t 12
	@echo '  NAME      one experiment: its CSV and figures; ratelab list experiments names them'
	@echo 'QUICK=1 takes fewer replications and shorter horizons; RESULTS=folder keeps them apart from results/'

figures: bin/ratelab ## the main job: every experiment that is not up to date, CSV, figures, the notebook and the texts made of them
	bin/ratelab run --all $(quick) --out $(RESULTS)
	bin/ratelab plot --all $(if $(quick),--svg-only) --out $(RESULTS)
	bin/ratelab writeup docs/figures.md.tmpl --out $(RESULTS) --to $(texts)/figures.md
	bin/ratelab writeup docs/writeup.md.tmpl --out $(RESULTS) --to $(texts)/writeup.md
	bin/ratelab notebook --all --text $(texts)/writeup.md --out $(RESULTS)

writeup: bin/ratelab ## the write-up of results that are up to date: docs/writeup.md, a page and, with a browser or pandoc, a PDF in bin/
	bin/ratelab writeup docs/writeup.md.tmpl --out $(RESULTS) --to $(texts)/writeup.md --page bin/writeup.html
	@browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome); \
	if [ -n "$$browser" ]; then \
	  root=$$([ "$$(id -u)" != 0 ] || echo --no-sandbox); \
	  "$$browser" --headless $$root --disable-gpu --no-pdf-header-footer --print-to-pdf=bin/writeup.pdf "file://$$PWD/bin/writeup.html" 2>/dev/null && echo bin/writeup.pdf; \
	elif command -v pandoc >/dev/null; then pandoc bin/writeup.html -o bin/writeup.pdf && echo bin/writeup.pdf; \
	else echo 'no PDF: neither chromium nor pandoc is here; install one, or print bin/writeup.html from a browser'; fi

verify: bin/ratelab ## make everything anew and compare it, byte for byte, with summaries, claims, findings, figures and texts
	bin/ratelab verify --all --out $(RESULTS)
	bin/ratelab writeup docs/figures.md.tmpl --out $(RESULTS) --to $(texts)/figures.md --check
	bin/ratelab writeup docs/writeup.md.tmpl --out $(RESULTS) --to $(texts)/writeup.md --check

check: bin/ratelab ## judge every claim by the results, made first if they are not up to date
	bin/ratelab run --all $(quick) --out $(RESULTS)
	bin/ratelab check --all --out $(RESULTS)

test: ## every test
	$(GO) test ./...

bench: ## the engine and the open loop beside others, two workers beside one; BILLION=1: 10⁹ requests in constant memory
	peers/engines/install.sh
	$(GO) test -C peers -c -o ../bin/engines.test ./engines
	cd peers/engines && ../../bin/engines.test -test.run '^TestTable$$' -test.timeout 30m -table
	$(GO) test -run '^$$' -bench '^BenchmarkWorkers$$' -benchtime 12x ./experiments/sweep
ifneq ($(filter-out 0,$(BILLION)),)
	$(GO) test -run '^$$' -bench '^BenchmarkOpenLoop$$/^path=sim$$' -benchtime 1000000x ./experiments/scenario
	$(GO) test -run '^$$' -bench '^BenchmarkOpenLoop$$/^path=sim$$' -benchtime 1000000000x -timeout 30m ./experiments/scenario
endif

peers: bin/peers.test ## the real programs beside the limiters named after them, into peers/TABLE.md; fleets on a real Redis beside simulated ones, into peers/STORE.md
	peers/install.sh
	cd peers && ../bin/peers.test -test.timeout 5m -test.parallel 4 -table TABLE.md -store STORE.md

browser: bin/ratelab bin/browser.test ## a quick notebook and a report of fit in a browser: light and dark, narrow and wide, without JavaScript, printed
	browser/install.sh
	bin/ratelab run $(looked) --quick --out results-quick
	bin/ratelab plot $(looked) --out results-quick
	bin/ratelab notebook $(looked) --out results-quick
	bin/ratelab fit logs/testdata/tour.log --html results-quick/fit.html >/dev/null
	bin/browser.test -test.timeout 5m -page results-quick/index.html -page results-quick/fit.html -shots results-quick/shots

slurm: ## an experiment as a job array on a Slurm on loopback, against one machine
	CI=true $(GO) test -count=1 -v ./slurm

arm64: ## a quick experiment on arm64, emulated, and on amd64: the same bytes
	.ci/arm64

cross: ## the program for Linux, macOS and Windows, into bin/
	for os in linux darwin windows; do for arch in amd64 arm64; do \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -ldflags '-X main.program=$(program) -X main.revision=$(revision)' -o bin/$$os-$$arch/ ./cmd/ratelab || exit 1; \
	done; done

lint: ## formatting, go vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	for module in peers browser; do (cd $$module && $(GO) vet ./... && "$$(cd .. && $(GO) tool -n staticcheck)" ./...) || exit 1; done

clean: ## remove the program and the quick results
	rm -rf bin results-quick

$(names): bin/ratelab
	bin/ratelab run $@ $(quick) --out $(RESULTS)
	bin/ratelab plot $@ --out $(RESULTS)

bin/browser.test:
	$(GO) test -C browser -c -o ../bin/browser.test .

bin/peers.test:
	$(GO) test -C peers -c -o ../bin/peers.test .

# Go knows by itself whether there is anything to do.
bin/ratelab:
	$(GO) build -ldflags '-X main.program=$(program) -X main.revision=$(revision)' -o $@ ./cmd/ratelab
