package clients

import (
	"testing"

	"sett/e2e/rig"
)

// Airbrake clients report with nothing configured but the address, the project and the key.
func TestAirbrake(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]exporter{
		"pybrake":        {"python", installPip, []string{"python3", "notify.py"}, nil, checkPybrake},
		"@airbrake/node": {"node", installNPM, []string{"node", "notify.js"}, nil, checkAirbrakeNode},
		"gobrake":        {"go", installGo, []string{"bin/notify"}, nil, checkGobrake},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rig.Start(t, "")
			e.run(t, s, e.installed(t), s.Base)
			e.check(t, s, s.Manage(t))
			wantFaults(t, s, s.Manage(t), 1)
		})
	}
}

func checkPybrake(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "ValueError")
	wantTop(t, n, "payment refused for order 42", "charge", "[PROJECT_ROOT]/notify.py")
	if len(n.Causes) != 1 || n.Causes[0].Class != "KeyError" {
		t.Errorf("the causes are %+v", n.Causes)
	}
	if u := n.Request.User; u == nil || u.Email != "ann@example.test" || u.ID != 7.0 {
		t.Errorf("the user is %+v", u)
	}
	if n.Environment.Revision != "4f2a9c1" || len(n.Backtrace[0].Source) == 0 {
		t.Errorf("the environment is %+v, the first frame %+v", n.Environment, n.Backtrace[0])
	}
}

func checkAirbrakeNode(t *testing.T, s *rig.Server, m rig.Manager) {
	f, n := s.Only(m, "TypeError")
	wantTop(t, n, "payment refused for order 42", "charge", "[PROJECT_ROOT]/notify.js")
	if f.Component != "billing" || n.Request.User == nil || n.Request.User.Email != "ann@example.test" {
		t.Errorf("the fault is %+v, the request %+v", f, n.Request)
	}
}

func checkGobrake(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "*fmt.wrapError")
	wantTop(t, n, "charge order 42: card gateway is down", "main", "notify/main.go")
	if n.Notifier.Name != "gobrake" || n.Environment.Revision != "4f2a9c1" {
		t.Errorf("the notifier is %+v, the environment %+v", n.Notifier, n.Environment)
	}
}
