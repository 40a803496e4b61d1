"""Physics as CasADi expressions, one file per formulation."""
