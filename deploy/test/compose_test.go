package test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// project reads a compose file of the archive, as Compose does.
func project(t *testing.T, file string, env ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(filepath.Dir(unpackProgram(t, "amd64")), "deploy", "compose", file)}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

func TestComposeFiles(t *testing.T) {
	t.Parallel()
	_, config := image(t, "amd64")
	for file, others := range map[string][]string{"sqlite.yaml": nil, "postgres.yaml": {"postgres"}} {
		p, err := project(t, file, "POSTGRES_PASSWORD=secret")
		if err != nil {
			t.Fatal(err)
		}
		if names := slices.Sorted(maps.Keys(p.Services)); !slices.Equal(names, append(others, "sett")) {
			t.Errorf("%s has the services %q", file, names)
		}
		s := p.Services["sett"]
		if s.Image != "sett:"+version || !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged || s.User != "" || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) {
			t.Errorf("%s: the container is not closed: %+v", file, s)
		}
		if len(s.Volumes) != 1 || s.Volumes[0].Target != "/var/lib/sett" || s.Volumes[0].Type != "volume" || !hasKey(config.Config.Volumes, s.Volumes[0].Target) {
			t.Errorf("%s: volumes %+v", file, s.Volumes)
		}
		if len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || s.Ports[0].Target != 8080 || !slices.Contains(config.Config.Env, "SETT_LISTEN=:8080") {
			t.Errorf("%s: ports %+v", file, s.Ports)
		}
		if len(others) > 0 && (s.DependsOn["postgres"].Condition != "service_healthy" || *s.Environment["SETT_DATABASE"] != "postgres://sett:secret@postgres/sett") {
			t.Errorf("%s: depends on %+v, %v", file, s.DependsOn, s.Environment)
		}
	}
	checkEnvironment(t, "sqlite.yaml", "SETT_BLOCKS", "SETT_BLOCK_CACHE_BYTES", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
	checkEnvironment(t, "postgres.yaml", "SETT_BLOCKS", "SETT_BLOCK_CACHE_BYTES", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "SETT_DATABASE_DIRECT", "SETT_DATABASE_READ", "SETT_SPOOL_BYTES")
	if _, err := project(t, "postgres.yaml"); err == nil || !strings.Contains(err.Error(), "POSTGRES_PASSWORD") {
		t.Errorf("without a password: %v", err)
	}
}

// checkEnvironment sets variables of the user, which the container must get.
func checkEnvironment(t *testing.T, file string, names ...string) {
	t.Helper()
	env := []string{"POSTGRES_PASSWORD=secret"}
	for _, name := range names {
		env = append(env, name+"=of "+name)
	}
	p, err := project(t, file, env...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got := p.Services["sett"].Environment[name]; got == nil || *got != "of "+name {
			t.Errorf("%s: the container does not get %s", file, name)
		}
	}
}

// The image runs with the settings and the health check of each compose file.
func TestComposeRuns(t *testing.T) {
	t.Parallel()
	needRoot(t)
	p, err := project(t, "sqlite.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir, config := unpackImage(t, "amd64")
	c := container{root: dir, data: newData(t, 65532), user: config.Config.User, env: config.Config.Env}
	for name, value := range p.Services["sett"].Environment {
		c.env = append(c.env, name+"="+*value)
	}
	c.serves(t, slices.Concat(config.Config.Entrypoint, config.Config.Cmd)...)
	if check := p.Services["sett"].HealthCheck.Test; !slices.Equal(check, []string{"CMD", "sett", "ready"}) {
		t.Errorf("the health check is %q; serves tries sett ready", check)
	}
}

func hasKey[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}
