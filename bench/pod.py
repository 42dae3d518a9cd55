# The same as pod.ts, with boto3.
import boto3, datetime, json, sys, threading, time
from botocore.config import Config

bucket, pause = sys.argv[1], int(sys.argv[2]) / 1000
session = boto3.Session()
s3 = session.client("s3", config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}))
over = threading.Event()
lock = threading.Lock()
result = {"requests": 0, "failures": []}
sessions = set()


def one(send):
    try:
        send()
        failure = None
    except Exception as error:
        failure = f"{datetime.datetime.now().isoformat()} {type(error).__name__}: {error}"
    with lock:
        result["requests"] += 1
        sessions.add(session.get_credentials().access_key)
        if failure:
            result["failures"].append(failure)


def work(key):
    while not over.is_set():
        one(lambda: s3.put_object(Bucket=bucket, Key=key, Body=b"x" * 4096))
        one(lambda: s3.get_object(Bucket=bucket, Key=key)["Body"].read())
        time.sleep(pause)


threads = [threading.Thread(target=work, args=(f"py-{i}",)) for i in range(4)]
for thread in threads:
    thread.start()
sys.stdin.read()
over.set()
for thread in threads:
    thread.join()
print(json.dumps({**result, "sessions": len(sessions)}))
