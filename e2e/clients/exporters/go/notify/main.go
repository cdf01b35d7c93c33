// Command notify is a shop that fails, and reports it with gobrake.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/airbrake/gobrake"
)

func charge(order int) error {
	return fmt.Errorf("charge order %d: %w", order, errors.New("card gateway is down"))
}

func main() {
	project, err := strconv.ParseInt(os.Getenv("SETT_PROJECT"), 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	base := os.Getenv("SETT_BASE")
	notifier := gobrake.NewNotifierWithOptions(&gobrake.NotifierOptions{
		ProjectId: project, ProjectKey: os.Getenv("SETT_KEY"), Host: base, Environment: "production", Revision: "4f2a9c1",
	})
	id, err := notifier.SendNotice(gobrake.NewNotice(charge(42), nil, 0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}
