package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// ran is a container that was started.
type ran struct {
	Process         int
	Root, Data, Log string
	User, Volume    string
	Env             []string
}

// docker runs containers as container does: with the network of the machine.
func docker(s *standIn) error {
	switch {
	case s.is("load", "-i"):
		return s.loadImage()
	case s.is("run"):
		return s.runContainer()
	case s.is("logs"):
		return s.logs()
	case s.is("exec"):
		return s.execute()
	case s.is("rm", "-f"), s.is("stop"):
		return s.stopContainer()
	case s.is("volume", "rm"):
		return s.removeVolume()
	case s.is("image", "rm"):
		return remove(s.Images, s.args[2:])
	case s.is("compose", "-f"):
		return s.compose()
	}
	return errUnknown
}

func (s *standIn) loadImage() error {
	if len(s.args) != 3 {
		return errUnknown
	}
	file, err := filepath.Abs(s.args[2])
	if err != nil {
		return err
	}
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(file) })
	if err != nil {
		return err
	}
	for _, tag := range manifest[0].RepoTags {
		s.Images[tag] = file
		fmt.Fprintln(s.out, "Loaded image:", tag)
	}
	return nil
}

// loaded returns an image that was loaded.
func (s *standIn) loaded(tag string) (v1.Image, error) {
	file, ok := s.Images[tag]
	if !ok {
		return nil, fmt.Errorf("the image %s is not loaded", tag)
	}
	parsed, err := name.NewTag(tag)
	if err != nil {
		return nil, err
	}
	found, err := tarball.ImageFromPath(file, &parsed)
	if err == nil {
		err = validate.Image(found, validate.Fast)
	}
	return found, err
}

func (s *standIn) runContainer() error {
	values, words, err := s.options(1, "-d --read-only", "--name", "-p", "-v", "-e", "--cap-drop", "--security-opt")
	if err != nil || len(words) != 1 || len(values["--name"]) != 1 {
		return fmt.Errorf("images %q, %w", words, err)
	}
	found, err := s.loaded(words[0])
	if err != nil {
		return err
	}
	config, err := found.ConfigFile()
	if err != nil {
		return err
	}
	c := ran{Root: s.file + ".root", Log: s.file + ".log", User: config.Config.User, Env: append(config.Config.Env, values["-e"]...)}
	for _, port := range values["-p"] {
		if _, ok := config.Config.ExposedPorts[port[strings.LastIndex(port, ":")+1:]+"/tcp"]; !ok {
			return fmt.Errorf("the image does not expose %s", port)
		}
	}
	for _, volume := range values["-v"] {
		name, at, _ := strings.Cut(volume, ":")
		if _, ok := config.Config.Volumes[at]; !ok {
			return fmt.Errorf("the image has no volume at %s", at)
		}
		c.Volume, c.Data = name, s.file+".volume-"+name
	}
	if err := s.unpack(found, c); err != nil {
		return err
	}
	cmd, err := c.command(slices.Concat(config.Config.Entrypoint, config.Config.Cmd)...)
	if err != nil {
		return err
	}
	log, err := os.Create(c.Log)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	if err == nil {
		c.Process = cmd.Process.Pid
		s.Containers[values["--name"][0]] = c
	}
	return err
}

func (s *standIn) unpack(found v1.Image, c ran) error {
	if err := errors.Join(os.MkdirAll(c.Root, 0o755), os.MkdirAll(c.Data, 0o700), os.Chown(c.Data, 65532, 65532)); err != nil {
		return err
	}
	files := mutate.Extract(found)
	defer files.Close()
	cmd := exec.Command("/usr/bin/tar", "-x", "--numeric-owner", "-p", "-C", c.Root)
	cmd.Stdin = files
	return cmd.Run()
}

// command returns what starts a program in the container.
func (c ran) command(args ...string) (*exec.Cmd, error) {
	if args[0] == "sett" {
		args[0] = "/usr/bin/sett"
	}
	cmd := exec.Command("/usr/bin/unshare", append([]string{"--mount", "--propagation", "private", "/bin/sh", "-c", enter, "sh"}, args...)...)
	cmd.Env = append([]string{"ROOT=" + c.Root, "DATA=" + c.Data, "ID=" + c.User}, c.Env...)
	return cmd, nil
}

// container returns one that runs.
func (s *standIn) container(name string) (ran, error) {
	c, ok := s.Containers[name]
	if !ok {
		return c, fmt.Errorf("there is no container %s", name)
	}
	return c, nil
}

// logs prints what a container has logged when it is ready.
func (s *standIn) logs() error {
	if len(s.args) != 2 {
		return errUnknown
	}
	c, err := s.container(s.args[1])
	if err != nil {
		return err
	}
	for range 600 {
		text, err := os.ReadFile(c.Log)
		if err != nil || strings.Contains(string(text), "sett is ready") {
			fmt.Fprint(s.out, string(text))
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, err := os.ReadFile(c.Log)
	return fmt.Errorf("it does not become ready: %w\n%s", err, text)
}

func (s *standIn) execute() error {
	if len(s.args) < 3 {
		return errUnknown
	}
	c, err := s.container(s.args[1])
	if err != nil {
		return err
	}
	cmd, err := c.command(s.args[2:]...)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = s.out, os.Stderr
	return cmd.Run()
}

func (s *standIn) stopContainer() error {
	name := s.args[len(s.args)-1]
	c, err := s.container(name)
	if err != nil {
		return err
	}
	if s.is("rm") {
		delete(s.Containers, name)
	}
	if err := syscall.Kill(-c.Process, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) { // it may have been stopped
		return err
	}
	return nil
}

func (s *standIn) removeVolume() error {
	for _, name := range s.args[2:] {
		for _, c := range s.Containers {
			if c.Volume == name {
				return fmt.Errorf("a container has the volume %s", name)
			}
		}
		data := s.file + ".volume-" + name
		if _, err := os.Stat(data); err != nil {
			return err
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return nil
}

// compose reads the file as Compose does, with the file .env beside it.
func (s *standIn) compose() error {
	if len(s.args) < 4 {
		return errUnknown
	}
	file := s.args[2]
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithDotEnv)
	if err != nil {
		return err
	}
	options.EnvFiles = []string{filepath.Join(filepath.Dir(file), ".env")}
	if _, err := os.Stat(options.EnvFiles[0]); err != nil {
		options.EnvFiles = nil
	}
	if err := cli.WithDotEnv(options); err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	switch args := s.args[3:]; {
	case slices.Equal(args, []string{"up", "-d"}):
		if _, err := s.loaded(project.Services["sett"].Image); err != nil {
			return err
		}
		s.Projects[file] = true
	case len(args) == 2 && args[0] == "logs":
		if _, ok := project.Services[args[1]]; !ok || !s.Projects[file] {
			return fmt.Errorf("no service %s runs", args[1])
		}
	case slices.Equal(args, []string{"down"}), slices.Equal(args, []string{"down", "--volumes"}):
		return remove(s.Projects, []string{file})
	default:
		return errUnknown
	}
	return nil
}

// skopeo reads the images that it would copy.
func skopeo(s *standIn) error {
	if !s.is("copy", "--all") || len(s.args) != 4 || !strings.HasPrefix(s.args[3], "docker://registry.example.org/") {
		return errUnknown
	}
	file, ok := strings.CutPrefix(s.args[2], "oci-archive:")
	if !ok {
		return errUnknown
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := command("", "/usr/bin/tar", "-xf", file, "-C", dir); err != nil {
		return err
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	return validate.Index(index, validate.Fast)
}
