// Command exceptions is a shop that fails, and reports it with the Sentry SDK.
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/getsentry/sentry-go"
	sentryhttp "github.com/getsentry/sentry-go/http"
)

func charge(order int) error {
	return fmt.Errorf("charge order %d: %w", order, errors.New("card gateway is down"))
}

// closed is a till that is.
type closed string

func (c closed) Error() string { return fmt.Sprintf("the %s till is closed", string(c)) }

func pack() {
	defer func() {
		if r := recover(); r != nil {
			sentry.CurrentHub().Recover(r)
		}
	}()
	var boxes []string
	_ = boxes[len(boxes)]
}

func main() {
	// The DSN is in the variable SENTRY_DSN.
	if err := sentry.Init(sentry.ClientOptions{Environment: "staging", Release: "shop@4f2a9c1", ServerName: "web-1", AttachStacktrace: true}); err != nil {
		log.Fatal(err)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "7", Email: "ann@example.test"})
		scope.SetTag("plan", "gold")
	})
	sentry.CaptureException(charge(42))
	sentry.CaptureException(errors.Join(closed("first"), errors.New("the second till is closed")))
	sentry.CaptureMessage("stock is low")
	pack()

	handler := sentryhttp.New(sentryhttp.Options{}).HandleFunc(func(http.ResponseWriter, *http.Request) { panic("no such order") })
	handler(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://shop.example.test/orders/42?coupon=spring", nil))

	config := &sentry.MonitorConfig{Schedule: sentry.CrontabSchedule("*/5 * * * *"), CheckInMargin: 3, MaxRuntime: 10, Timezone: "Europe/Vienna"}
	id := sentry.CaptureCheckIn(&sentry.CheckIn{MonitorSlug: "nightly-import", Status: sentry.CheckInStatusInProgress}, config)
	sentry.CaptureCheckIn(&sentry.CheckIn{ID: *id, MonitorSlug: "nightly-import", Status: sentry.CheckInStatusOK, Duration: time.Second}, config)
	if !sentry.Flush(20 * time.Second) {
		log.Fatal("not all was sent")
	}
}
