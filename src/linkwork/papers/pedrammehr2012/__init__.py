"""Pedrammehr, Mahboubkhah and Khani (2012): improved equations, beside Dasgupta's and the exact ones."""
