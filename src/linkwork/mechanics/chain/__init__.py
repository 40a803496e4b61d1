"""Serial arms: kinematics and every formulation of their dynamics."""
