package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func newDemo() *cobra.Command {
	var opts struct {
		limiter, listen, reset, retryAfter, key string
		maxKeys                                 int64
		seed                                    uint64
		period                                  durationFlag
	}
	cmd := &cobra.Command{
		Use:   "demo --limiter SPEC",
		Short: "Serve HTTP on loopback under a limit",
		Long: `demo answers HTTP requests of any kind: 200 if the limiter admits them, 429 if
not, with the header fields of decide --headers, and in the body which policy
refused. A request that the limiter delays is held that long.

Every value of the header field --key is a client of its own, without it every
address. Requests that lack the field are one client. Of more clients than
--max-keys the least recently seen is forgotten, and is new when it comes back.

It listens on this machine only. It ends when it is interrupted, with status 0.`,
		Example: `  ratelab demo --limiter token-bucket:rate=2/s,burst=5 --key X-User --listen 127.0.0.1:0 --for 1s`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.limiter == "" {
				return errors.New("demo needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20; see ratelab list limiters")
			}
			limiter, err := limiters.Parse(opts.limiter)
			if err != nil {
				return fmt.Errorf("--limiter: %w", err)
			}
			var style contract.Style
			if style.EpochReset, err = choice("--reset", opts.reset, "delta", "epoch"); err != nil {
				return err
			}
			if style.DateRetryAfter, err = choice("--retry-after", opts.retryAfter, "seconds", "date"); err != nil {
				return err
			}
			if opts.maxKeys < 1 || opts.maxKeys >= math.MaxUint32 {
				return fmt.Errorf("--max-keys must lie in 1..%d, got %d", uint32(math.MaxUint32-1), opts.maxKeys)
			}
			if opts.key != "" && !fieldName(opts.key) {
				return fmt.Errorf("--key must be the name of a header field, like X-User, got %q", opts.key)
			}
			if cmd.Flags().Changed("for") && opts.period.d <= 0 {
				return fmt.Errorf("--for must be > 0, got %s", &opts.period)
			}
			address, err := loopback(cmd.Context(), opts.listen)
			if err != nil {
				return fmt.Errorf("--listen: %w", err)
			}
			ctx := cmd.Context()
			if opts.period.d > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, opts.period.d)
				defer cancel()
			}
			gate := newGate(limiter, opts.seed, opts.maxKeys)
			gate.style, gate.header = style, opts.key
			err = serve(ctx, address, gate, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if f := gate.forgot(); f.Total() > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%d keys forgotten for want of room, %d of them early\n", f.Total(), f.Early)
			}
			return written(err)
		},
	}
	cmd.Flags().StringVar(&opts.limiter, "limiter", "", "limiter `SPEC` that decides")
	cmd.Flags().StringVar(&opts.listen, "listen", "127.0.0.1:8080", "`HOST:PORT` to listen on, loopback only; port 0 takes a free one")
	cmd.Flags().StringVar(&opts.reset, "reset", "delta", "X-RateLimit-Reset is a `FORM`: delta (seconds from now) or epoch (Unix time)")
	cmd.Flags().StringVar(&opts.retryAfter, "retry-after", "seconds", "Retry-After is a `FORM`: seconds or date")
	cmd.Flags().StringVar(&opts.key, "key", "", "`HEADER` field whose value says whose limit a request counts against (default its address)")
	cmd.Flags().Int64Var(&opts.maxKeys, "max-keys", 10_000, "most keys that are held at once")
	cmd.Flags().Uint64Var(&opts.seed, "seed", 1, "seed of the limiter's random streams (window jitter)")
	cmd.Flags().Var(&opts.period, "for", "end after this `DURATION` (default when interrupted)")
	cmd.Flags().Lookup("for").DefValue = ""
	return cmd
}

// choice reads a flag with two values, and returns whether it is the second.
func choice(flag, got, first, second string) (bool, error) {
	if got != first && got != second {
		return false, fmt.Errorf("%s must be %s or %s, got %q%s", flag, first, second, got, spec.DidYouMean(got, []string{first, second}))
	}
	return got == second, nil
}

// fieldName reports whether a text is the name of a header field, of letters,
// digits and dashes.
func fieldName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) < 0
}

// loopback returns the address of a HOST:PORT on this machine that no other
// can reach. A name is looked up: all of its addresses must be such.
func loopback(ctx context.Context, listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("want HOST:PORT like 127.0.0.1:8080, got %q", listen)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(number, 10) != port {
		return "", fmt.Errorf("port must lie in 0..65535, got %q", port)
	}
	const why = "the demo listens on this machine only, as on 127.0.0.1 or localhost, for it answers anyone"
	if host == "" {
		return "", fmt.Errorf("%q is every address; %s", listen, why)
	}
	found, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return "", fmt.Errorf("%q has no address: %w", host, err)
	}
	for _, address := range found {
		if !address.IP.IsLoopback() {
			return "", fmt.Errorf("%q is %s, not a loopback address; %s", host, address.IP, why)
		}
	}
	return net.JoinHostPort(found[0].String(), port), nil
}

// serve answers requests until ctx ends. It prints how to try it once it
// listens, and to errOut what the server has to say.
func serve(ctx context.Context, address string, gate *gate, out, errOut io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	field := ""
	if gate.header != "" {
		field = fmt.Sprintf("-H '%s: ann' ", gate.header)
	}
	if _, err := fmt.Fprintf(out, "try: curl -i %shttp://%s/\n", field, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	// Whoever is held when the server ends is let go.
	held, letGo := context.WithCancel(context.Background())
	defer letGo()
	server := &http.Server{
		Handler:           gate,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    8 << 10,
		ErrorLog:          log.New(errOut, "ratelab: ", 0),
		BaseContext:       func(net.Listener) context.Context { return held },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	letGo()
	patience, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close() // whoever is still served has had time enough
}
