# Everything encrypted with a key that the module creates, and a bucket that may send to the encrypted queue.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

module "uploads" {
  source = "../.."

  name     = var.name
  envelope = "s3"

  # Each new state of an object is an event; S3 counts them in the sequencer.
  event_id     = "join('/', [s3.bucket.name, s3.object.key, s3.object.sequencer])"
  business_key = "s3.object.key"

  on_existing_key = "overwrite"

  kms = {
    create      = true
    logs        = true
    environment = true
  }

  senders = {
    bucket = { service = "s3.amazonaws.com", arn = aws_s3_bucket.uploads.arn }
  }

  alarms              = var.alarms
  deletion_protection = false # an example is made to be removed
}

resource "aws_s3_bucket" "uploads" {
  #checkov:skip=CKV_AWS_18:An example; a log bucket would hide what it shows.
  #checkov:skip=CKV_AWS_21:An example; the pipeline reads no object.
  #checkov:skip=CKV_AWS_144:An example.
  #checkov:skip=CKV_AWS_145:The example encrypts the pipeline; the bucket is encrypted by S3.
  #checkov:skip=CKV2_AWS_61:An example.

  bucket_prefix = "${var.name}-"
  force_destroy = true
}

resource "aws_s3_bucket_public_access_block" "uploads" {
  bucket = aws_s3_bucket.uploads.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

# S3 tries at once whether it may send. The output of the queue's ARN waits for the queue's policy and for the key's, so
# nothing has to be said about the order.
resource "aws_s3_bucket_notification" "uploads" {
  bucket = aws_s3_bucket.uploads.id

  queue {
    queue_arn = module.uploads.queue_arn
    events    = ["s3:ObjectCreated:*"]
  }
}
