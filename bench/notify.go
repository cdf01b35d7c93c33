package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// NotifyOptions say what is measured of notifications.
type NotifyOptions struct {
	Executable   string    // the sett binary
	Data         string    // an empty directory for the embedded database
	Database     string    // "" or a postgres:// URL of an empty database
	Token        string    // of a user who may create projects
	Integrations int       // webhooks that each want every new fault
	Faults       int       // that are created at once, for each webhook
	Samples      int       // new faults, one after another, whose way to one webhook is timed
	Load         int       // notices of known faults a second, meanwhile
	Errors       io.Writer // where the server's log goes
}

// NotifyResult is what was measured.
type NotifyResult struct {
	Deliveries     int     // deliveries that were expected in the flood
	Rate           float64 // of them, a second, from the first notice sent to the last arrival
	CPU            time.Duration
	Missing, Again int     // that never arrived; that arrived more than once
	Idle, Busy     Delay   // from a notice's sending to its webhook's arrival
	Load           float64 // notices a second that were accepted while Busy was measured
	Memory         int64   // greatest resident set of the server, bytes
}

// Delay is how long something took, over many samples.
type Delay struct{ P50, P99 time.Duration }

// patience is the timeout for the last delivery.
const patience = time.Minute

// Notify measures how fast alerts are delivered to a receiver on this machine, and how long a new fault takes from its
// notice to a webhook, while intake is idle and while it is busy.
func Notify(ctx context.Context, o NotifyOptions) (res NotifyResult, err error) {
	address, _, err := freeAddresses()
	if err != nil {
		return res, err
	}
	inbox, err := openInbox()
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, inbox.close()) }()
	server, err := startProcess(ctx, address, "/readyz", o.Errors,
		[]string{"SETT_DATABASE=" + o.Database, "SETT_API_RATE_LIMIT=0"},
		o.Executable, "serve", "--listen", address, "--data", o.Data, "--log-level", "warn", "--location", "none", "--egress-allow", "127.0.0.0/8")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * busySenders}}
	n := notifyBench{o, manager{"http://" + address, o.Token}, client, inbox}
	if err := n.flood(ctx, server, &res); err != nil {
		return res, err
	}
	if res.Idle, _, err = n.timed(ctx, "idle", 0); err != nil {
		return res, err
	}
	res.Busy, res.Load, err = n.timed(ctx, "busy", o.Load)
	res.Memory = server.memory()
	return res, err
}

type notifyBench struct {
	NotifyOptions
	manager
	client *http.Client // that reports
	inbox  *inbox
}

// project makes a project with so many webhooks.
func (n notifyBench) project(ctx context.Context, name string, webhooks int) (project, error) {
	p, err := n.createProject(ctx, name)
	if err != nil {
		return p, err
	}
	for range webhooks {
		body := map[string]any{"integration": map[string]any{
			"type": "WebHook", "events": []string{"occurred"}, "notification_limit": 100_000, "options": map[string]string{"url": n.inbox.url},
		}}
		if err := n.do(ctx, http.MethodPost, fmt.Sprintf("/v2/projects/%d/integrations", p.ID), body, nil); err != nil {
			return p, err
		}
	}
	return p, nil
}

// flood creates many faults at once and waits until every webhook has received each of them.
func (n notifyBench) flood(ctx context.Context, server *process, res *NotifyResult) error {
	p, err := n.project(ctx, "Flood", n.Integrations)
	if err != nil {
		return err
	}
	before, began := server.cpu(), time.Now()
	var senders sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		senders.Go(func() {
			for fault := i; fault < n.Faults && errs[i] == nil; fault += len(errs) {
				errs[i] = n.report(ctx, p, fmt.Sprintf("Flood%d", fault))
			}
		})
	}
	senders.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	res.Deliveries = n.Faults * n.Integrations
	arrived, last := n.inbox.await(ctx, res.Deliveries)
	res.Missing, res.Again = res.Deliveries-arrived, n.inbox.repeated()
	res.Rate = float64(arrived) / last.Sub(began).Seconds()
	res.CPU = (server.cpu() - before) / time.Duration(max(arrived, 1))
	return nil
}

// report sends a notice of a class.
func (n notifyBench) report(ctx context.Context, p project, class string) error {
	body := fmt.Sprintf(`{"notifier":{"name":"bench"},"error":{"class":%q,"message":"it broke","backtrace":[{"file":"/app/main.rb","number":"7","method":"run"}]},`+
		`"request":{"context":{"user_id":7}},"server":{"environment_name":"production","hostname":"web-1"}}`, class)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.base+"/v1/notices", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", p.Token)
	answer, err := n.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("a notice returned %d", answer.StatusCode)
	}
	return nil
}

// timed makes new faults one after another, at a given load of other notices, and measures their way.
func (n notifyBench) timed(ctx context.Context, name string, load int) (d Delay, rate float64, err error) {
	p, err := n.project(ctx, name, 1)
	if err != nil {
		return d, 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	busy := n.keepBusy(ctx, p, load)
	began := time.Now()
	var took []time.Duration
	for i := range n.Samples {
		sent := time.Now()
		class := fmt.Sprintf("%s%d", name, i)
		if err := n.report(ctx, p, class); err != nil {
			return d, 0, err
		}
		arrived, ok := n.inbox.arrival(ctx, class)
		if !ok {
			return d, 0, fmt.Errorf("the alert of the fault %s did not arrive within %v", class, patience)
		}
		took = append(took, arrived.Sub(sent))
		if err := wait(ctx, time.Duration(rand.IntN(20))*time.Millisecond); err != nil { // not in step with anything
			return d, 0, err
		}
	}
	elapsed := time.Since(began)
	stop()
	sent := busy()
	slices.Sort(took)
	return Delay{took[len(took)/2], took[len(took)*99/100]}, float64(sent) / elapsed.Seconds(), nil
}

// busySenders share the load.
const busySenders = 16

// keepBusy sends so many notices of known faults a second until ctx ends; done waits for that and returns how many were
// accepted.
func (n notifyBench) keepBusy(ctx context.Context, p project, load int) (done func() int) {
	counts := make([]int, busySenders)
	var senders sync.WaitGroup
	if load > 0 {
		for i := range counts {
			senders.Go(func() {
				pace := time.NewTicker(time.Second * busySenders / time.Duration(load))
				defer pace.Stop()
				for ; ctx.Err() == nil; <-pace.C {
					if n.report(ctx, p, fmt.Sprintf("Known%d", i)) == nil {
						counts[i]++
					}
				}
			})
		}
	}
	return func() (sum int) {
		senders.Wait()
		for _, n := range counts {
			sum += n
		}
		return sum
	}
}
