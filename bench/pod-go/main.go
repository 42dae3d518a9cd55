// The same as pod.ts, with AWS' SDK for Go.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type result struct {
	Requests int      `json:"requests"`
	Failures []string `json:"failures"`
	Sessions int      `json:"sessions"`
}

func main() {
	bucket := os.Args[1]
	pause, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(1))
	if err != nil {
		panic(err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })

	var lock sync.Mutex
	found := result{Failures: []string{}}
	sessions := map[string]bool{}
	one := func(send func() error) {
		failure := send()
		credentials, wrong := cfg.Credentials.Retrieve(ctx)
		lock.Lock()
		defer lock.Unlock()
		found.Requests++
		if problem := errors.Join(failure, wrong); problem != nil {
			at := time.Now().UTC().Format(time.RFC3339Nano)
			found.Failures = append(found.Failures, fmt.Sprintf("%s %v", at, problem))
			return
		}
		sessions[credentials.AccessKeyID] = true
	}

	over := make(chan struct{})
	var work sync.WaitGroup
	for i := range 4 {
		key := fmt.Sprintf("go-%d", i)
		work.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				one(func() error {
					body := bytes.NewReader(bytes.Repeat([]byte("x"), 4096))
					_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String(key), Body: body})
					return err
				})
				one(func() error {
					got, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String(key)})
					if err != nil {
						return err
					}
					defer got.Body.Close()
					_, err = io.Copy(io.Discard, got.Body)
					return err
				})
				time.Sleep(time.Duration(pause) * time.Millisecond)
			}
		})
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		panic(err)
	}
	close(over)
	work.Wait()
	found.Sessions = len(sessions)
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}
