"""`python -m teachmem` is the same as `teachmem`."""

from teachmem import cli

if __name__ == "__main__":
    cli.main()
