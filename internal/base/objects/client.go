package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"sett/internal/base/dial"
)

// The times within which calls end, and how many run at once.
const (
	getTime     = 5 * time.Second
	putTime     = time.Minute
	deleteTime  = 10 * time.Second
	listTime    = time.Minute
	connectTime = 3 * time.Second
	atOnce      = 32
)

// restFor is how long nothing is read after a read that failed because object storage does not respond: readers get its error at once.
const restFor = 2 * time.Second

// Client reads and writes the objects of one address. It is safe for concurrent use.
type Client struct {
	Address
	core  minio.Core
	slots chan struct{}

	Rest func(context.Context, time.Duration) error // between two tries to send or receive a part

	mu       sync.Mutex
	failed   error     // of the last call; nil: it succeeded
	unread   error     // of the last read; it may succeed while object storage is full
	unreadAt time.Time // when that was seen

	errors atomic.Int64
}

// New returns a client. It connects to nothing before it is used. Credentials are those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of the file
// ~/.aws/credentials, or of the machine that sett runs on.
func New(a Address) (*Client, error) {
	dialer := dial.New(dial.Anywhere()) // the operator has chosen the endpoint
	transport := dialer.Transport()
	transport.DisableKeepAlives, transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = false, atOnce, time.Minute
	transport.ResponseHeaderTimeout = putTime
	transport.DisableCompression = true // a range of an object is what it is
	lookup := minio.BucketLookupAuto
	if a.Path {
		lookup = minio.BucketLookupPath
	}
	core, err := minio.NewCore(a.Endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: dialer.Client(connectTime)},
		}),
		Secure: !a.Plain, Region: a.Region, Transport: transport, BucketLookup: lookup, MaxRetries: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("object storage at %s: %w", a.Endpoint, err)
	}
	return &Client{Address: a, core: *core, slots: make(chan struct{}, atOnce), Rest: rest}, nil
}

// reading is what a call of Get does.
const reading = "read"

// ErrMissing says that there is no object with a key.
var ErrMissing = errors.New("there is no such object")

// Get returns a part of an object.
func (c *Client) Get(ctx context.Context, key string, from, length int64) (body []byte, err error) {
	if err := c.resting(time.Now()); err != nil {
		return nil, err
	}
	err = c.do(ctx, reading, key, getTime, func(ctx context.Context) error {
		var o minio.GetObjectOptions
		if err := o.SetRange(from, from+length-1); err != nil {
			return err
		}
		r, _, _, err := c.core.GetObject(ctx, c.Bucket, c.Prefix+key, o)
		if err != nil {
			return err
		}
		defer r.Close()
		if body, err = io.ReadAll(io.LimitReader(r, length+1)); err == nil && int64(len(body)) != length {
			err = fmt.Errorf("%d bytes came instead of %d", len(body), length)
		}
		return err
	})
	return body, err
}

// Put stores an object, and makes sure that it is there with its size.
func (c *Client) Put(ctx context.Context, key string, body []byte) error {
	return c.do(ctx, "write", key, putTime, func(ctx context.Context) error {
		o := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true, SendContentMd5: true}
		if _, err := c.core.Client.PutObject(ctx, c.Bucket, c.Prefix+key, bytes.NewReader(body), int64(len(body)), o); err != nil {
			return err
		}
		info, err := c.core.StatObject(ctx, c.Bucket, c.Prefix+key, minio.StatObjectOptions{})
		if err == nil && info.Size != int64(len(body)) {
			err = fmt.Errorf("%d bytes are stored instead of %d", info.Size, len(body))
		}
		return err
	})
}

// Delete deletes an object, if there is one.
func (c *Client) Delete(ctx context.Context, key string) error {
	err := c.do(ctx, "delete", key, deleteTime, func(ctx context.Context) error {
		return c.core.RemoveObject(ctx, c.Bucket, c.Prefix+key, minio.RemoveObjectOptions{})
	})
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Errors returns how many calls have failed.
func (c *Client) Errors() int64 { return c.errors.Load() }

// Failed returns why object storage did not respond to the last call; nil if it did.
func (c *Client) Failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// resting returns the error of a call that failed a moment ago.
func (c *Client) resting(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.unreadAt) < restFor {
		return c.unread
	}
	return nil
}

// do runs a call within a time, while few others run.
func (c *Client) do(ctx context.Context, what, key string, most time.Duration, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-limited.Done():
		return fmt.Errorf("%s %s in %s: too many other calls run: %w", what, key, c.Address, limited.Err())
	}
	err := f(limited)
	if ctx.Err() != nil {
		return ctx.Err() // the caller has stopped, which says nothing about object storage
	}
	err = c.explain(err)
	c.note(what, err, time.Now())
	if err != nil {
		err = fmt.Errorf("%s %s in %s at %s: %w", what, key, c.Address, c.Endpoint, err)
	}
	return err
}

// note remembers whether object storage responds. That an object is missing is a response.
func (c *Client) note(what string, err error, now time.Time) {
	if err != nil {
		c.errors.Add(1)
	}
	if errors.Is(err, ErrMissing) {
		err = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed = err; what == reading {
		c.unread, c.unreadAt = err, now
	}
}

// advice says what to look at, by the code of an error of S3.
var advice = map[string]string{
	"NoSuchBucket":          "the bucket does not exist; create it, or change the address",
	"AccessDenied":          "the credentials may not do that; they need s3:GetObject, s3:PutObject and s3:DeleteObject, for backups also s3:ListBucket and s3:AbortMultipartUpload",
	"InvalidAccessKeyId":    "the access key is not known there; look at AWS_ACCESS_KEY_ID",
	"SignatureDoesNotMatch": "the secret key is wrong; look at AWS_SECRET_ACCESS_KEY",
	"RequestTimeTooSkewed":  "the clock of this machine is wrong",
	"XMinioStorageFull":     "object storage is full",
	"QuotaExceeded":         "object storage is full",
}

// explain returns an error with what to look at.
func (c *Client) explain(err error) error {
	if err == nil {
		return nil
	}
	r := minio.ToErrorResponse(err)
	if r.Code == "NoSuchKey" {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if r.Code == "AccessDenied" && c.anonymous() {
		return fmt.Errorf("there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials (%w)", err)
	}
	if text := advice[r.Code]; text != "" {
		return fmt.Errorf("%s (%w)", text, err)
	}
	return err
}

// anonymous reports whether there are no credentials.
func (c *Client) anonymous() bool {
	v, err := c.core.GetCreds()
	return err == nil && v.SignerType.IsAnonymous()
}
