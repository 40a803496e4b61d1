"""`python -m linkwork` is the command line."""

from linkwork.cli import main

if __name__ == "__main__":
    main()
