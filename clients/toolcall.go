// Package toolcall is a client of toolcall for Go 1.18 and later. Copy this file into your project.
//
//	result, err := toolcall.Call("fs.read", map[string]any{"path": "README.md"},
//		toolcall.Options{Flags: []string{"--allow-read=."}})
package toolcall

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
)

// Block is a part of a result.
type Block struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

// Result is the result of a call, in the form of MCP's CallToolResult.
type Result struct {
	Content           []Block                    `json:"content"`
	IsError           bool                       `json:"isError"`
	StructuredContent map[string]any             `json:"structuredContent,omitempty"`
	Meta              map[string]json.RawMessage `json:"_meta,omitempty"`
}

// Text returns the text of all text blocks, joined by line ends.
func (r *Result) Text() string {
	var texts []string
	for _, block := range r.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Options say how toolcall is started.
type Options struct {
	// Flags are the flags of toolcall, such as --allow-read=. for the working directory.
	Flags []string
	// Executable is the path of toolcall. The default is toolcall in PATH.
	Executable string
	// Dir is the working directory. The default is that of this process.
	Dir string
}

func (o Options) command(name string, last string) *exec.Cmd {
	path := o.Executable
	if path == "" {
		path = "toolcall"
	}
	args := append(append([]string{name}, o.Flags...), last)
	cmd := exec.Command(path, args...)
	cmd.Dir = o.Dir
	return cmd
}

func request(name string, args map[string]any) ([]byte, error) {
	return json.Marshal(map[string]any{"name": name, "arguments": args})
}

// Call runs one call in a new process. It fails if toolcall prints no result.
func Call(name string, args map[string]any, options Options) (*Result, error) {
	input, err := request(name, args)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := options.command("call", "--format=mcp")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	// The exit code of a failed call is not 0, but its result is printed.
	runErr := cmd.Run()
	var result Result
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		if runErr != nil {
			err = runErr
		}
		return nil, fmt.Errorf("toolcall printed no result: %s: %w", stderr.String(), err)
	}
	return &result, nil
}

// Session is a process that runs many calls, one after the other.
type Session struct {
	mutex  sync.Mutex
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

// Start starts a session. Call Close at its end.
func Start(options Options) (*Session, error) {
	cmd := options.command("submit", "--quiet")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Session{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}, nil
}

// Call runs one call. It fails if the process has ended.
func (s *Session) Call(name string, args map[string]any) (*Result, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	input, err := request(name, args)
	if err != nil {
		return nil, err
	}
	if _, err := s.stdin.Write(append(input, '\n')); err != nil {
		return nil, fmt.Errorf("toolcall has ended: %w", err)
	}
	line, err := s.stdout.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("toolcall has ended: %w", err)
	}
	var result Result
	if err := json.Unmarshal(line, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// Close ends the process. The exit code of a session with failed calls is 1, which is no error here.
func (s *Session) Close() error {
	if err := s.stdin.Close(); err != nil {
		return err
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	return err
}
