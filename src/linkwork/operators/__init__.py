"""Methods of robots as operators of array libraries that differentiate: what PyTorch and JAX share."""
